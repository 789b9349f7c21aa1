/* SPDX-License-Identifier: Apache-2.0
 * Tuning while a program works, without a device and on made-up times: its budget, and who wins. */
#include <math.h>

#include "support/check.h"
#include "support/random.h"
#include "support/space.h"
#include "tune/online.h"

static struct clg_online online; /* large */

static void start(void) {
    struct clg_space space;
    struct clg_candidate centre;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 1024, 1024, 1024);
    assert_true(clg_space_model_choice(&space, &centre));
    clg_online_start(&online, &space.problem, &clg_test_gpu, &centre);
    assert_false(online.done);
}

/* Calls of so long each, until something may be tried, 10^7 at most: that, and how many. */
static enum clg_online_step next(double call, struct clg_candidate *candidate, int *calls) {
    for (*calls = 1; *calls <= 10000000; ++*calls) {
        const enum clg_online_step step = clg_online_next(&online, call, candidate);
        if (step || online.done)
            return step;
    }
    return CLG_ONLINE_REST;
}

/* Pairs in turn, until the candidate has won or lost; each ratio of `ratios` in turn. */
static bool compare(const double *ratios, int count, int *pairs) {
    struct clg_candidate candidate;
    double ratio;
    int calls;
    if (!online.under_way || !online.built) {
        assert_int_equal(next(1, &candidate, &calls), CLG_ONLINE_BUILD);
        clg_online_built(&online, 1);
    }
    for (*pairs = 0; online.under_way;) {
        assert_int_equal(next(1, &candidate, &calls), CLG_ONLINE_COMPARE);
        const double seconds = ratios[(*pairs)++ % count];
        if (clg_online_compared(&online, 2, seconds, 1, &ratio))
            return true;
    }
    return false;
}

static void short_programs_pay_nothing(void **state) {
    struct clg_candidate candidate;
    int calls;
    (void)state;
    start();
    assert_int_equal(next(1e-3, &candidate, &calls), CLG_ONLINE_BUILD);
    assert_true(calls * 1e-3 >= 2 / CLG_ONLINE_SHARE); /* a build is thought to take 2 s */
    start();
    assert_int_equal(next(10, &candidate, &calls), CLG_ONLINE_BUILD);
    assert_true(calls * 10 >= (2 + 10) / CLG_ONLINE_SHARE); /* and it runs, too */
}

/* As long as things take no longer than ever before, the share is kept at every moment; what takes
 * longer is paid back before anything else begins. */
static void the_budget_is_kept(void **state) {
    struct clg_test_random random = clg_test_random_start(1);
    double longest = 0, overrun = 0;
    int builds = 0, pairs = 0;
    (void)state;
    start();
    for (int i = 0; i < 2000000 && !online.done; i++) {
        struct clg_candidate candidate;
        double ratio;
        const double call = 0.05 + 0.01 * (double)clg_test_range(&random, 0, 10);
        const enum clg_online_step step = clg_online_next(&online, call, &candidate);
        if (step)
            assert_true(online.in_trials < CLG_ONLINE_SHARE * online.in_calls);
        if (step == CLG_ONLINE_BUILD) {
            const double seconds = builds++ % 4 == 3 ? 5 + builds : 0.5;
            overrun = fmax(0, seconds - (builds == 1 ? 2 : longest));
            longest = fmax(longest, seconds);
            clg_online_built(&online, seconds);
        } else if (step == CLG_ONLINE_COMPARE) {
            pairs++;
            clg_online_compared(&online, 0.2, 1 + 0.02 * (double)(pairs % 3), 1, &ratio);
        }
        assert_true(online.in_trials <= CLG_ONLINE_SHARE * online.in_calls + overrun + 1e-9);
    }
    assert_true(builds > 10 && pairs > 20);
    assert_true(online.in_trials > 0.5 * CLG_ONLINE_SHARE * online.in_calls || online.done);
}

static void only_a_clear_winner_wins(void **state) {
    static const double clear[] = {0.9}, slight[] = {0.98}, even[] = {0.9, 1.1}, slow[] = {1.2},
                        once[] = {0.9, 0.9, 3, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9};
    struct clg_candidate before;
    int pairs;
    (void)state;
    start();
    before = online.centre;
    assert_false(compare(slight, 1, &pairs));
    assert_int_equal(pairs, CLG_ONLINE_PAIRS);
    assert_false(compare(even, 2, &pairs));
    assert_int_equal(pairs, 4);
    assert_false(compare(slow, 1, &pairs));
    assert_int_equal(pairs, 2);
    assert_true(clg_candidate_equal(&online.centre, &before));
    assert_true(compare(clear, 1, &pairs));
    assert_int_equal(pairs, CLG_ONLINE_PAIRS);
    assert_false(clg_candidate_equal(&online.centre, &before));
    assert_true(compare(once, 9, &pairs));
}

/* Of a device on which tiles of 32 x 128 are best: best found, nobody tried twice. */
static double cost_of(const struct clg_candidate *candidate) {
    const double m = log2(candidate->params.tile_m / 32.0),
                 n = log2(candidate->params.tile_n / 128.0);
    return 1 + 0.2 * (m * m + n * n) + 0.1 * candidate->params.stages;
}

static void goes_downhill_and_ends(void **state) {
    struct clg_candidate candidate, seen[CLG_ONLINE_TRIED];
    int calls, count = 0, wins = 0;
    double ratio, first;
    (void)state;
    start();
    first = cost_of(&online.centre);
    for (enum clg_online_step step; (step = next(1, &candidate, &calls));) {
        if (step == CLG_ONLINE_BUILD) {
            assert_null(candidate.family->unsupported_reason(
                &online.space.problem, &online.space.facts, &candidate.params));
            for (int i = 0; i < count; i++)
                assert_false(clg_candidate_equal(&seen[i], &candidate));
            assert_true(count < CLG_ONLINE_TRIED);
            seen[count++] = candidate;
            if (count % 5 == 4)
                clg_online_failed(&online, 0.5);
            else
                clg_online_built(&online, 0.5);
        } else {
            const double before = cost_of(&online.centre);
            if (clg_online_compared(&online, 1, cost_of(&candidate), before, &ratio)) {
                wins++;
                assert_true(fabs(ratio - cost_of(&candidate) / before) < 1e-12);
                assert_true(clg_candidate_equal(&online.centre, &candidate));
            }
        }
    }
    assert_true(online.done);
    assert_true(wins > 0 && cost_of(&online.centre) < first);
}

static void moves_with_what_calls_run(void **state) {
    struct clg_candidate candidate;
    const struct clg_candidate other = {
        .family = &clg_family_direct,
        .params = {.tile_m = 8, .tile_n = 4, .wg_m = 8, .wg_n = 4, .split_k = 1}};
    int calls;
    (void)state;
    start();
    assert_int_equal(next(1, &candidate, &calls), CLG_ONLINE_BUILD);
    clg_online_built(&online, 1);
    const double spent = online.in_trials, calls_so_far = online.in_calls;
    clg_online_move(&online, &other);
    assert_true(online.in_trials == spent && online.in_calls == calls_so_far);
    assert_int_equal(online.centre.params.split_k, 0);
    assert_int_equal(next(1, &candidate, &calls), CLG_ONLINE_BUILD);
    assert_ptr_equal(candidate.family, &clg_family_direct);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_programs_pay_nothing), cmocka_unit_test(the_budget_is_kept),
        cmocka_unit_test(only_a_clear_winner_wins),   cmocka_unit_test(goes_downhill_and_ends),
        cmocka_unit_test(moves_with_what_calls_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
