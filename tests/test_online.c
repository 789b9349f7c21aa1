/* SPDX-License-Identifier: Apache-2.0
 * Tuning while a program works, without a device and on made-up times: its budget, who wins, and
 * when a second result agrees with a first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/random.h"
#include "support/space.h"
#include "tune/agree.h"
#include "tune/online.h"
#include "tune/verify.h"

/* ---- The policy ---- */

static struct clg_online online; /* large */

static void start(void) {
    struct clg_space space;
    struct clg_candidate centre;
    clg_test_space(&space, &clg_test_gpu, 1024, 1024, 1024);
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
            assert_null(candidate.family->why_not(&online.space.problem, &online.space.facts,
                                                  &candidate.params));
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

/* ---- Two results ---- */

struct fixture {
    struct clg_problem problem;
    struct clg_host_matrices host;
    float *a, *b, *memory; /* C lies in the last */
    struct clg_second second;
    struct clg_lengths lengths;
};

static float *filled(const struct clg_matrix *matrix, uint64_t stream) {
    struct clg_test_random random = clg_test_random_start(stream);
    const size_t count = (size_t)(matrix->ld * matrix->cols);
    float *x = malloc(count * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < count; i++)
        x[i] = clg_test_value(&random);
    return x;
}

/* C is summed forward, the second C backward. */
static void create(struct fixture *f, bool ta, bool tb, bool aligned, float alpha) {
    const struct clg_tuning_shape shape = {33, 21, 170, ta, tb, aligned};
    clg_test_assert_success(clg_tuning_problem(&f->problem, &shape));
    f->problem.alpha = alpha;
    const struct clg_matrix *a = &f->problem.a, *b = &f->problem.b, *c = &f->problem.c;
    f->a = filled(a, 1);
    f->b = filled(b, 2);
    f->memory = malloc(((size_t)(c->ld * c->cols) + 3) * sizeof *f->memory);
    assert_non_null(f->memory);
    f->host = (struct clg_host_matrices){f->a, f->b, f->memory + 3};
    assert_true(clg_second_create(&f->second, &f->problem, f->host.c));
    assert_int_equal((uintptr_t)f->second.c % 64, (uintptr_t)f->host.c % 64);
    for (int64_t j = 0; j < c->cols; j++)
        for (int64_t i = 0; i < c->rows; i++) {
            float forward = 0, backward = 0;
            for (int64_t l = 0; l < f->problem.k; l++) {
                const int64_t r = f->problem.k - 1 - l;
                forward += f->a[ta ? l + i * a->ld : i + l * a->ld] *
                           f->b[tb ? j + l * b->ld : l + j * b->ld];
                backward += f->a[ta ? r + i * a->ld : i + r * a->ld] *
                            f->b[tb ? j + r * b->ld : r + j * b->ld];
            }
            f->host.c[i + j * c->ld] = alpha * forward;
            f->second.c[i + j * c->ld] = alpha * backward;
        }
    assert_true(clg_lengths_create(&f->lengths, &f->problem, &f->host));
}

static void destroy(struct fixture *f) {
    clg_second_release(&f->second);
    clg_lengths_release(&f->lengths);
    free(f->a);
    free(f->b);
    free(f->memory);
}

static bool agrees(const struct fixture *f, char why[128]) {
    why[0] = '\0';
    return clg_second_agrees(&f->second, &f->problem, &f->lengths, f->host.c, why, 128);
}

static void another_order_of_the_sum_agrees(void **state) {
    char why[128];
    (void)state;
    for (int form = 0; form < 16; form++) {
        struct fixture f;
        create(&f, form & 1, form & 2, form & 4, form & 8 ? -3.5F : 1);
        assert_true(f.lengths.finite);
        assert_true(agrees(&f, why));
        assert_string_equal(why, "");
        destroy(&f);
    }
}

/* Puts a value somewhere in the second C's buffer, and expects that to be told. */
static void expect_fault(struct fixture *f, int64_t at, float value, const char *says) {
    const float kept = f->second.c[at];
    char why[128];
    f->second.c[at] = value;
    assert_false(agrees(f, why));
    if (!strstr(why, says))
        fail_msg("\"%s\" does not say \"%s\"", why, says);
    f->second.c[at] = kept;
    assert_true(agrees(f, why));
}

static void every_fault_is_told(void **state) {
    struct fixture f;
    (void)state;
    create(&f, false, true, false, 1);
    const int64_t m = f.problem.m, n = f.problem.n, ld = f.problem.c.ld;
    for (int64_t j = 0; j < n; j += 5)
        for (int64_t i = 0; i < m; i += 4) {
            const int64_t at = i + j * ld;
            expect_fault(&f, at, f.host.c[at] + 0.01F, "by the trusted way");
            expect_fault(&f, at, NAN, "is NaN, or was not written");
            expect_fault(&f, at, INFINITY, "by the trusted way");
        }
    if (ld > m)
        expect_fault(&f, m, 0, "memory outside C was written");
    expect_fault(&f, -1, 0, "memory outside C was written");
    expect_fault(&f, ld * n, 0, "memory outside C was written");
    clg_second_clear(&f.second);
    char why[128];
    assert_false(agrees(&f, why));
    destroy(&f);
}

/* One row of A is twice as long as what its products would be: the lengths say how far off a
 * result may be, so they must be those of op(A)'s rows and op(B)'s columns. */
static void lengths_are_those_of_rows_and_columns(void **state) {
    (void)state;
    for (int form = 0; form < 4; form++) {
        struct fixture f;
        create(&f, form & 1, form & 2, false, 1);
        const struct clg_matrix *a = &f.problem.a, *b = &f.problem.b;
        for (int64_t i = 0; i < f.problem.m; i++) {
            double sum = 0;
            for (int64_t l = 0; l < f.problem.k; l++)
                sum += pow(f.a[form & 1 ? l + i * a->ld : i + l * a->ld], 2);
            assert_true(fabs(f.lengths.rows[i] - sqrt(sum)) < 1e-9);
        }
        for (int64_t j = 0; j < f.problem.n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < f.problem.k; l++)
                sum += pow(f.b[form & 2 ? j + l * b->ld : l + j * b->ld], 2);
            assert_true(fabs(f.lengths.columns[j] - sqrt(sum)) < 1e-9);
        }
        f.a[5] = NAN;
        clg_lengths_release(&f.lengths);
        assert_true(clg_lengths_create(&f.lengths, &f.problem, &f.host));
        assert_false(f.lengths.finite);
        destroy(&f);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_programs_pay_nothing),
        cmocka_unit_test(the_budget_is_kept),
        cmocka_unit_test(only_a_clear_winner_wins),
        cmocka_unit_test(goes_downhill_and_ends),
        cmocka_unit_test(moves_with_what_calls_run),
        cmocka_unit_test(another_order_of_the_sum_agrees),
        cmocka_unit_test(every_fault_is_told),
        cmocka_unit_test(lengths_are_those_of_rows_and_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
