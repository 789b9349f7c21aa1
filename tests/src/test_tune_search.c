/* SPDX-License-Identifier: Apache-2.0
 * The search on made-up costs, without a device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/tuner/search.h"
#include "support/check.h"
#include "support/space.h"

/* A valley: the cost is lowest at one set of parameters and grows with the distance of each
 * tunable. */
static double valley(const struct clg_candidate *candidate) {
    const struct clg_params *p = &candidate->params;
    if (candidate->family != &clg_family_tiled)
        return 50;
    const double distances[] = {log2(p->tile_m / 32.0),  log2(p->tile_n / 128.0),
                                log2(p->tile_k / 32.0),  log2(p->wg_m / 8.0),
                                log2(p->wg_n / 16.0),    p->stages - 2.0,
                                (p->pad_local - 4) / 4.0};
    double cost = 1;
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
        cost += distances[i] * distances[i];
    return cost;
}

/* Every third candidate fails. */
static double patchy(const struct clg_candidate *candidate) {
    const struct clg_params *p = &candidate->params;
    return (p->tile_m + p->wg_n + p->split_k) % 3 == 0 ? INFINITY : valley(candidate);
}

static double failure(const struct clg_candidate *candidate) {
    (void)candidate;
    return INFINITY;
}

struct outcome {
    double best, first;
    size_t count;
    uint64_t trace; /* of all candidates in their order */
};

/* Searches for at most `most` candidates, with this many under way at a time, which are reported
 * out of order. Fails on one that is given twice, or is not valid. */
static struct outcome search_ahead(const struct clg_space *space,
                                   double (*cost_of)(const struct clg_candidate *), size_t most,
                                   uint64_t seed, size_t under_way) {
    struct outcome out = {.best = INFINITY};
    struct clg_candidate *seen = calloc(most, sizeof *seen), swap;
    struct clg_search *s = clg_search_create(space, seed);
    size_t reported = 0;
    bool more = true;
    assert_non_null(s);
    assert_non_null(seen);
    while (more || reported < out.count) {
        while (out.count < most && out.count - reported < under_way &&
               (more = clg_search_next(s, &seen[out.count]))) {
            const struct clg_candidate *c = &seen[out.count];
            assert_null(c->family->unsupported_reason(&space->problem, &space->facts, &c->params));
            for (size_t i = 0; i < out.count; i++)
                assert_false(clg_candidate_equal(&seen[i], c));
            if (out.count++ == 0)
                out.first = cost_of(c);
            out.trace = out.trace * 31 + (uint64_t)c->params.tile_m * 7 +
                        (uint64_t)c->params.wg_n * 5 + (uint64_t)c->params.band_m;
        }
        more = more && out.count < most;
        if (reported < out.count) { /* the one in the middle */
            const size_t at = reported + (out.count - reported) / 2;
            swap = seen[at];
            seen[at] = seen[reported];
            seen[reported++] = swap;
            out.best = fmin(out.best, cost_of(&swap));
            clg_search_report(s, &swap, cost_of(&swap));
        }
    }
    clg_search_destroy(s);
    free(seen);
    return out;
}

static struct outcome search(const struct clg_space *space,
                             double (*cost_of)(const struct clg_candidate *), size_t most,
                             uint64_t seed) {
    return search_ahead(space, cost_of, most, seed, 1);
}

static void it_begins_with_the_model_and_gives_none_twice(void **state) {
    struct clg_space space;
    struct clg_candidate choice;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 1024, 1024, 1024);
    assert_true(clg_space_model_choice(&space, &choice));
    const struct outcome out = search(&space, patchy, 400, 1);
    assert_int_equal(out.count, 400);
    assert_true(out.first == patchy(&choice));
}

static void a_seed_repeats_a_search(void **state) {
    struct clg_space space;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 1024, 1024, 1024);
    const uint64_t one = search(&space, valley, 200, 1).trace;
    assert_true(one == search(&space, valley, 200, 1).trace);
    assert_true(one != search(&space, valley, 200, 2).trace);
}

/* The best is known; the search finds it, or nearly, in a fraction of the space. */
static void it_finds_the_valley(void **state) {
    struct clg_space space;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 1024, 1024, 1024);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        assert_true(search(&space, valley, 400, seed).best < 1.5);
        assert_true(search(&space, patchy, 800, seed).best < 3);
    }
}

/* With sixteen at a time it learns almost as much. */
static void many_may_be_under_way(void **state) {
    struct clg_space space;
    struct clg_candidate choice;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 1024, 1024, 1024);
    assert_true(clg_space_model_choice(&space, &choice));
    for (uint64_t seed = 1; seed <= 5; seed++)
        assert_true(search_ahead(&space, valley, 400, seed, 16).best < 2);
    const struct outcome out = search_ahead(&space, patchy, 200, 1, 16);
    assert_int_equal(out.count, 200);
    assert_true(out.first == patchy(&choice));
    assert_true(out.trace == search_ahead(&space, patchy, 200, 1, 16).trace);
    assert_int_equal(search_ahead(&space, failure, 100, 3, 16).count, 100);
}

/* Candidates that were reported without being asked for count: they are not given any more, and
 * the walk continues from them. */
static void others_may_report_too(void **state) {
    struct clg_space space;
    struct clg_candidate known, next;
    struct clg_point point;
    int near = 0;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 1024, 1024, 1024);
    assert_true(clg_space_first(&space, 1, &point)); /* of direct, far from the valley */
    assert_true(clg_space_at(&space, &point, &known));
    struct clg_search *s = clg_search_create(&space, 1);
    assert_non_null(s);
    clg_search_report(s, &known, 1e-3);
    for (int i = 0; i < 300; i++) {
        assert_true(clg_search_next(s, &next));
        assert_false(clg_candidate_equal(&next, &known));
        near += next.family == known.family;
        clg_search_report(s, &next, valley(&next));
    }
    assert_true(near >= 4);
    clg_search_destroy(s);
}

/* It continues from the best, also if that shares its nearest point with an earlier one. */
static void twins_of_a_point_both_count(void **state) {
    struct clg_space space;
    struct clg_candidate one, twin, choice, next;
    struct clg_point point, same;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 1024, 1024, 1024);
    assert_true(clg_space_first(&space, 1, &point));
    assert_true(clg_space_at(&space, &point, &one));
    twin = one;
    twin.params.stages = 7; /* direct has no such axis */
    assert_true(clg_space_near(&space, &twin, &same));
    assert_memory_equal(&point, &same, sizeof point);
    assert_true(clg_space_model_choice(&space, &choice) && choice.family != one.family);
    struct clg_search *s = clg_search_create(&space, 1);
    assert_non_null(s);
    clg_search_report(s, &one, 3);
    clg_search_report(s, &choice, 2);
    clg_search_report(s, &twin, 1);
    assert_true(clg_search_next(s, &next)); /* the first seed is known, so this is a neighbour */
    assert_ptr_equal(next.family, twin.family);
    clg_search_destroy(s);
}

/* In a small space it continues until nothing is left, beside seeds that are no points of it. */
static void small_spaces_come_to_an_end(void **state) {
    static const struct clg_facts *const all[] = {&clg_test_gpu, &clg_test_cpu};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct clg_space space;
        struct clg_candidate next, there;
        struct clg_point point;
        size_t points = 0, named = 0;
        clg_test_space(&space, all[i % 2], CLGEMM_F32, 5, 3, 2);
        for (int f = 0; f < space.count; f++) {
            struct clg_test_candidates found = clg_test_space_walk(&space, f);
            points += found.count;
            free(found.all);
        }
        struct clg_search *s = clg_search_create(&space, 1);
        assert_non_null(s);
        while (clg_search_next(s, &next)) {
            named += clg_space_near(&space, &next, &point) &&
                     clg_space_at(&space, &point, &there) && clg_candidate_equal(&next, &there);
            clg_search_report(s, &next, i < 2 ? valley(&next) : INFINITY);
        }
        clg_search_destroy(s);
        assert_int_equal(named, points);
    }
}

static void a_search_survives_failures_alone(void **state) {
    struct clg_space space;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 512, 512, 512);
    assert_int_equal(search(&space, failure, 100, 3).count, 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_begins_with_the_model_and_gives_none_twice),
        cmocka_unit_test(a_seed_repeats_a_search),
        cmocka_unit_test(it_finds_the_valley),
        cmocka_unit_test(many_may_be_under_way),
        cmocka_unit_test(others_may_report_too),
        cmocka_unit_test(twins_of_a_point_both_count),
        cmocka_unit_test(small_spaces_come_to_an_end),
        cmocka_unit_test(a_search_survives_failures_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
