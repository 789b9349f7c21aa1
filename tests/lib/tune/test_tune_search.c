/* SPDX-License-Identifier: Apache-2.0
 * The search strategies on made-up costs, without a device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/space.h"
#include "tune/search.h"

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
static struct outcome search_ahead(const char *strategy, const struct clg_space *space,
                                   double (*cost_of)(const struct clg_candidate *), size_t most,
                                   uint64_t seed, size_t under_way) {
    struct outcome out = {.best = INFINITY};
    struct clg_candidate *seen = calloc(most, sizeof *seen), swap;
    struct clg_search *s = clg_search_create(clg_strategy_find(strategy), space, seed);
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

static struct outcome search(const char *strategy, const struct clg_space *space,
                             double (*cost_of)(const struct clg_candidate *), size_t most,
                             uint64_t seed) {
    return search_ahead(strategy, space, cost_of, most, seed, 1);
}

static void all_begin_with_the_model_and_give_none_twice(void **state) {
    struct clg_space space;
    struct clg_candidate choice;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 1024, 1024, 1024);
    assert_true(clg_space_model_choice(&space, &choice));
    for (size_t i = 0; clg_strategies[i]; i++) {
        const struct outcome out = search(clg_strategies[i]->name, &space, patchy, 400, 1);
        assert_int_equal(out.count, 400);
        assert_true(out.first == patchy(&choice));
    }
}

static void a_seed_repeats_a_search(void **state) {
    struct clg_space space;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 1024, 1024, 1024);
    for (size_t i = 0; clg_strategies[i]; i++) {
        const char *name = clg_strategies[i]->name;
        const uint64_t one = search(name, &space, valley, 200, 1).trace;
        assert_true(one == search(name, &space, valley, 200, 1).trace);
        if (strcmp(name, "exhaustive") != 0)
            assert_true(one != search(name, &space, valley, 200, 2).trace);
    }
}

/* If the best is known, strategies that learn find it, or nearly, and sooner than chance. */
static void learning_finds_the_valley(void **state) {
    struct clg_space space;
    double sums[2] = {0, 0}, chance = 0;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 1024, 1024, 1024);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const double walk = search("neighbours", &space, valley, 400, seed).best;
        assert_true(walk < 1.5);
        assert_true(search("neighbours", &space, patchy, 800, seed).best < 3);
        sums[0] += walk;
        sums[1] += search("annealing", &space, valley, 400, seed).best;
        chance += search("random", &space, valley, 400, seed).best;
    }
    assert_true(sums[0] < chance);
    assert_true(sums[1] < chance);
}

/* With sixteen at a time a strategy learns almost as much. */
static void many_may_be_under_way(void **state) {
    struct clg_space space;
    struct clg_candidate choice;
    double sum = 0, chance = 0;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 1024, 1024, 1024);
    assert_true(clg_space_model_choice(&space, &choice));
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const double walk = search_ahead("neighbours", &space, valley, 400, seed, 16).best;
        assert_true(walk < 2);
        sum += search_ahead("annealing", &space, valley, 400, seed, 16).best;
        chance += search_ahead("random", &space, valley, 400, seed, 16).best;
    }
    assert_true(sum < chance);
    for (size_t i = 0; clg_strategies[i]; i++) {
        const char *name = clg_strategies[i]->name;
        const struct outcome out = search_ahead(name, &space, patchy, 200, 1, 16);
        assert_int_equal(out.count, 200);
        assert_true(out.first == patchy(&choice));
        assert_true(out.trace == search_ahead(name, &space, patchy, 200, 1, 16).trace);
        assert_int_equal(search_ahead(name, &space, failure, 100, 3, 16).count, 100);
    }
}

/* Candidates that were reported without being asked for count: they are not given any more, and
 * walks continue from them. */
static void others_may_report_too(void **state) {
    struct clg_space space;
    struct clg_candidate known, next;
    struct clg_point point;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 1024, 1024, 1024);
    assert_true(clg_space_first(&space, 1, &point)); /* of direct, far from the valley */
    assert_true(clg_space_at(&space, &point, &known));
    for (size_t i = 0; clg_strategies[i]; i++) {
        struct clg_search *s = clg_search_create(clg_strategies[i], &space, 1);
        int near = 0;
        assert_non_null(s);
        clg_search_report(s, &known, 1e-3);
        for (int j = 0; j < 300; j++) {
            assert_true(clg_search_next(s, &next));
            assert_false(clg_candidate_equal(&next, &known));
            near += next.family == known.family;
            clg_search_report(s, &next, valley(&next));
        }
        if (clg_strategies[i] == clg_strategy_find("neighbours"))
            assert_true(near >= 4);
        clg_search_destroy(s);
    }
}

static double tile_area(const struct clg_candidate *candidate) {
    return 1.0 / (candidate->params.tile_m * (double)candidate->params.tile_n);
}

/* In a small space the exhaustive search sees everything and then ends; so do others, which
 * continue until nothing is left. */
static void small_spaces_come_to_an_end(void **state) {
    struct clg_space space;
    size_t points = 0;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 5, 3, 2);
    for (int f = 0; f < space.count; f++) {
        struct clg_point point;
        for (bool more = clg_space_first(&space, f, &point); more;
             more = clg_space_next(&space, &point))
            points++;
    }
    const struct outcome all = search("exhaustive", &space, tile_area, 100000, 1);
    assert_true(all.count == points || all.count == points + 1); /* the model's may be added */
    for (size_t i = 0; clg_strategies[i]; i++) {
        const char *name = clg_strategies[i]->name;
        assert_true(search(name, &space, tile_area, 100000, 1).best == all.best);
        assert_true(search_ahead(name, &space, tile_area, 100000, 1, 16).best == all.best);
    }
}

static void a_search_survives_failures_alone(void **state) {
    struct clg_space space;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 512, 512, 512);
    for (size_t i = 0; clg_strategies[i]; i++)
        assert_int_equal(search(clg_strategies[i]->name, &space, failure, 100, 3).count, 100);
}

static void strategies_have_names(void **state) {
    (void)state;
    assert_null(clg_strategy_find("nonsense"));
    for (size_t i = 0; clg_strategies[i]; i++)
        assert_ptr_equal(clg_strategy_find(clg_strategies[i]->name), clg_strategies[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_begin_with_the_model_and_give_none_twice),
        cmocka_unit_test(a_seed_repeats_a_search),
        cmocka_unit_test(learning_finds_the_valley),
        cmocka_unit_test(many_may_be_under_way),
        cmocka_unit_test(others_may_report_too),
        cmocka_unit_test(small_spaces_come_to_an_end),
        cmocka_unit_test(a_search_survives_failures_alone),
        cmocka_unit_test(strategies_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
