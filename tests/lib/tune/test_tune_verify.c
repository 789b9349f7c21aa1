/* SPDX-License-Identifier: Apache-2.0
 * The tuner's judge, without a device: right results pass, each kind of wrong one is told. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "tune/measure.h"
#include "tune/verify.h"

struct fixture {
    struct clg_problem problem;
    struct clg_reference reference;
    float *a, *b, *c;
};

static float *filled(const struct clg_matrix *matrix, unsigned seed) {
    const size_t count = (size_t)(matrix->ld * matrix->cols);
    float *x = malloc(count * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < count; i++)
        x[i] = (float)((i * 37 + seed) % 101) / 101.0F - 0.5F;
    return x;
}

/* C is what a plain loop makes of it in single precision. */
static void create(struct fixture *f, int64_t m, int64_t n, int64_t k, bool ta, bool tb,
                   bool aligned) {
    const struct clg_tuning_shape shape = {m, n, k, ta, tb, aligned, CLGEMM_F32};
    const uint32_t canary = CLG_VERIFY_CANARY;
    clg_test_assert_success(clg_measure_problem(&f->problem, &shape));
    const struct clg_matrix *a = &f->problem.matrix[CLG_A], *b = &f->problem.matrix[CLG_B];
    f->a = filled(a, 1);
    f->b = filled(b, 2);
    assert_true(clg_reference_create(&f->reference, &f->problem, f->a, f->b));
    f->c = malloc(f->reference.length * sizeof *f->c);
    assert_non_null(f->c);
    for (size_t i = 0; i < f->reference.length; i++)
        memcpy(&f->c[i], &canary, sizeof canary);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            float sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += f->a[ta ? l + i * a->ld : i + l * a->ld] *
                       f->b[tb ? j + l * b->ld : l + j * b->ld];
            f->c[CLG_VERIFY_GUARD + i + j * f->problem.matrix[CLG_C].ld] = sum;
        }
}

static void destroy(struct fixture *f) {
    clg_reference_release(&f->reference);
    free(f->a);
    free(f->b);
    free(f->c);
}

static void right_results_pass(void **state) {
    (void)state;
    for (int form = 0; form < 8; form++) {
        struct fixture f;
        char why[128] = "";
        create(&f, 33, 21, 17, form & 1, form & 2, form & 4);
        assert_true(clg_reference_accepts(&f.reference, f.c, why, sizeof why));
        assert_string_equal(why, "");
        destroy(&f);
    }
}

/* Puts `value` somewhere, and expects the judge to tell; then puts back what was there. */
static void expect_fault(struct fixture *f, int64_t at, float value, const char *says) {
    const float kept = f->c[at];
    char why[128];
    f->c[at] = value;
    assert_false(clg_reference_accepts(&f->reference, f->c, why, sizeof why));
    if (!strstr(why, says))
        fail_msg("\"%s\" does not say \"%s\"", why, says);
    f->c[at] = kept;
    assert_true(clg_reference_accepts(&f->reference, f->c, why, sizeof why));
}

static void wrong_results_are_told(void **state) {
    struct fixture f;
    float canary;
    const uint32_t bits = CLG_VERIFY_CANARY;
    (void)state;
    memcpy(&canary, &bits, sizeof canary);
    create(&f, 30, 20, 10, false, false, false); /* leading dimensions are odd: there are gaps */
    const int64_t ld = f.problem.matrix[CLG_C].ld, last = CLG_VERIFY_GUARD + 29 + 19 * ld;
    const int64_t inner = CLG_VERIFY_GUARD + 7 + 5 * ld;
    assert_true(ld > 30);
    expect_fault(&f, inner, f.c[inner] + 1e-4F, "C(7, 5) = ");
    expect_fault(&f, inner, NAN, "C(7, 5) is NaN");
    expect_fault(&f, inner, canary, "C(7, 5) is NaN, or was not written");
    expect_fault(&f, last, INFINITY, "C(29, 19) = inf");
    expect_fault(&f, CLG_VERIFY_GUARD - 1, 0, "memory outside C");
    expect_fault(&f, 0, NAN, "memory outside C");
    expect_fault(&f, CLG_VERIFY_GUARD + 30 + 5 * ld, 0, "memory outside C");
    expect_fault(&f, (int64_t)f.reference.length - 1, 0, "memory outside C");
    destroy(&f);
}

/* Large results are sampled: their corners always, and no element may stay unwritten. */
static void large_results_are_sampled(void **state) {
    struct fixture f;
    (void)state;
    create(&f, 301, 203, 3, false, true, true);
    const int64_t ld = f.problem.matrix[CLG_C].ld;
    assert_true(f.reference.count < (size_t)301 * 203);
    for (int corner = 0; corner < 4; corner++)
        expect_fault(&f, CLG_VERIFY_GUARD + (corner & 1 ? 300 : 0) + (corner & 2 ? 202 * ld : 0), 9,
                     " = 9, not ");
    for (int64_t i = 0; i < 301; i += 50)
        expect_fault(&f, CLG_VERIFY_GUARD + i + 100 * ld, NAN, "is NaN");
    /* One wrong column holds a sample, as there are ten in each on average. */
    for (int64_t i = 0; i < 301; i++)
        f.c[CLG_VERIFY_GUARD + i + 77 * ld] += 1;
    char why[128];
    assert_false(clg_reference_accepts(&f.reference, f.c, why, sizeof why));
    destroy(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_results_pass),
        cmocka_unit_test(wrong_results_are_told),
        cmocka_unit_test(large_results_are_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
