/* SPDX-License-Identifier: Apache-2.0
 * The strategies on made-up costs, without a device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/space.h"
#include "tune/search.h"

/* A valley: best at one row of parameters, the dearer the further each tunable is from it. */
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

struct outcome {
    double best, first;
    size_t count;
    uint64_t trace; /* of all candidates in their order */
};

/* Searches for `most` candidates at most; fails on one that is given twice, or is not valid. */
static struct outcome search(const char *strategy, const struct clg_space *space,
                             double (*cost_of)(const struct clg_candidate *), size_t most,
                             uint64_t seed) {
    struct outcome out = {.best = INFINITY};
    struct clg_candidate *seen = calloc(most, sizeof *seen);
    struct clg_search *s = clg_search_create(clg_strategy_find(strategy), space, seed);
    assert_non_null(s);
    assert_non_null(seen);
    while (out.count < most && clg_search_next(s, &seen[out.count])) {
        const struct clg_candidate *candidate = &seen[out.count];
        assert_null(candidate->family->why_not(&space->problem, &space->facts, &candidate->params));
        for (size_t i = 0; i < out.count; i++)
            assert_false(clg_candidate_equal(&seen[i], candidate));
        const double cost = cost_of(candidate);
        if (out.count++ == 0)
            out.first = cost;
        out.best = fmin(out.best, cost);
        out.trace = out.trace * 31 + (uint64_t)candidate->params.tile_m * 7 +
                    (uint64_t)candidate->params.wg_n * 5 + (uint64_t)candidate->params.band_m;
        clg_search_report(s, cost);
    }
    clg_search_destroy(s);
    free(seen);
    return out;
}

static void all_begin_with_the_model_and_give_none_twice(void **state) {
    struct clg_space space;
    struct clg_candidate choice;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, 1024, 1024, 1024);
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
    clg_test_space(&space, &clg_test_gpu, 1024, 1024, 1024);
    for (size_t i = 0; clg_strategies[i]; i++) {
        const char *name = clg_strategies[i]->name;
        const uint64_t one = search(name, &space, valley, 200, 1).trace;
        assert_true(one == search(name, &space, valley, 200, 1).trace);
        if (strcmp(name, "exhaustive") != 0)
            assert_true(one != search(name, &space, valley, 200, 2).trace);
    }
}

/* Where the best is known, those that learn find it, or nearly; and sooner than chance. */
static void learning_finds_the_valley(void **state) {
    struct clg_space space;
    double sums[2] = {0, 0}, chance = 0;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, 1024, 1024, 1024);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const double walk = search("neighbours", &space, valley, 400, seed).best;
        assert_true(walk < 1.5);
        assert_true(search("neighbours", &space, patchy, 400, seed).best < 3);
        sums[0] += walk;
        sums[1] += search("annealing", &space, valley, 400, seed).best;
        chance += search("random", &space, valley, 400, seed).best;
    }
    assert_true(sums[0] < chance);
    assert_true(sums[1] < chance);
}

static double tile_area(const struct clg_candidate *candidate) {
    return 1.0 / (candidate->params.tile_m * (double)candidate->params.tile_n);
}

/* In a space small enough, the exhaustive search sees all of it, and then ends; and so do others,
 * which go on until nothing is left. */
static void small_spaces_come_to_an_end(void **state) {
    struct clg_space space;
    size_t points = 0;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, 5, 3, 2);
    for (int f = 0; f < space.count; f++) {
        struct clg_point point;
        for (bool more = clg_space_first(&space, f, &point); more;
             more = clg_space_next(&space, &point))
            points++;
    }
    const struct outcome all = search("exhaustive", &space, tile_area, 100000, 1);
    assert_true(all.count == points || all.count == points + 1); /* the model's may be beside it */
    for (size_t i = 0; clg_strategies[i]; i++)
        assert_true(search(clg_strategies[i]->name, &space, tile_area, 100000, 1).best == all.best);
}

static double failure(const struct clg_candidate *candidate) {
    (void)candidate;
    return INFINITY;
}

static void a_search_survives_failures_alone(void **state) {
    struct clg_space space;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, 512, 512, 512);
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
        cmocka_unit_test(small_spaces_come_to_an_end),
        cmocka_unit_test(a_search_survives_failures_alone),
        cmocka_unit_test(strategies_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
