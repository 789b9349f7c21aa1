/* SPDX-License-Identifier: Apache-2.0
 * Complex products: conjugation, and factors with imaginary parts, which no other type has. */
#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/device.h"

enum { TRANSPOSES = 3, LAYOUTS = 2, FORMS = TRANSPOSES * TRANSPOSES * LAYOUTS };

static const clgemm_transpose transposes[TRANSPOSES] = {CLGEMM_NO_TRANS, CLGEMM_TRANS,
                                                        CLGEMM_CONJ_TRANS};

static int num_types(void) {
    return clg_test_num_types() == CLG_TYPE_COUNT ? 2 : 1;
}

static clgemm_type type_of(int turn) {
    return turn % num_types() ? CLGEMM_CF64 : CLGEMM_CF32;
}

/* A form of a product whose sizes have no factor in common with a tile's. */
static struct clg_test_problem problem_of(int form, struct clg_test_random *random) {
    static const float factors[][2] = {{1, 0},     {0.5F, 0}, {0, 1}, {-0.7F, 0.3F},
                                       {0, -2.5F}, {0, 0},    {1, 1}};
    const int num_factors = (int)(sizeof factors / sizeof *factors);
    const float *alpha = factors[clg_test_range(random, 0, num_factors - 1)];
    const float *beta = factors[clg_test_range(random, 0, num_factors - 1)];
    return (struct clg_test_problem){.layout = form / TRANSPOSES / TRANSPOSES ? CLGEMM_ROW_MAJOR
                                                                              : CLGEMM_COL_MAJOR,
                                     .ta = transposes[form % TRANSPOSES],
                                     .tb = transposes[form / TRANSPOSES % TRANSPOSES],
                                     .type = type_of(form + (int)clg_test_range(random, 0, 1)),
                                     .m = clg_test_range(random, 1, 150),
                                     .n = clg_test_range(random, 1, 150),
                                     .k = clg_test_range(random, 0, 150),
                                     .alpha = alpha[0],
                                     .alpha_imag = alpha[1],
                                     .beta = beta[0],
                                     .beta_imag = beta[1],
                                     .gap_a = clg_test_range(random, 0, 3),
                                     .gap_b = clg_test_range(random, 0, 3),
                                     .gap_c = clg_test_range(random, 0, 3),
                                     .offset_a = (size_t)clg_test_range(random, 0, 3),
                                     .offset_b = (size_t)clg_test_range(random, 0, 3),
                                     .offset_c = (size_t)clg_test_range(random, 0, 3)};
}

static void every_form_is_right(void **state) {
    struct clg_test_random random = clg_test_random_start(54);
    struct clg_test_cl cl;
    (void)state;
    clg_test_cl_open(&cl, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (int form = 0; form < 2 * FORMS; form++) {
        struct clg_test_problem problem = problem_of(form % FORMS, &random);
        struct clg_test_case test;
        clg_test_problem_check(&problem, &random);
        problem.batch = form % 3;
        problem.shares_a = form % 2;
        problem.shares_b = form / 2 % 2;
        clg_test_case_create(&test, &problem, &random);
        clg_test_case_run_and_check_cl(&cl, &test, NULL);
        clg_test_case_destroy(&test);
    }
    clg_test_cl_close(&cl);
}

/* With a real product for each, so that whole tiles and edges of every kernel occur. */
static void large_products_are_right(void **state) {
    struct clg_test_random random = clg_test_random_start(55);
    (void)state;
    for (int turn = 0; turn < 2 * num_types(); turn++) {
        struct clg_test_problem problem =
            problem_of((int)clg_test_range(&random, 0, FORMS - 1), &random);
        problem.type = type_of(turn);
        problem.m = 256 + clg_test_range(&random, 0, 130);
        problem.n = 256 + clg_test_range(&random, 0, 130);
        problem.k = 256 + clg_test_range(&random, 0, 130);
        clg_test_problem_check(&problem, &random);
    }
}

/* Where one matrix is far larger than others, another is written (gemm/complex.h). */
static void every_form_of_long_products_is_right(void **state) {
    static const int64_t sizes[][3] = {{700, 9, 500}, {7, 600, 700}, {260, 270, 17}};
    struct clg_test_random random = clg_test_random_start(56);
    struct clg_test_cl cl;
    (void)state;
    clg_test_cl_open(&cl, 0);
    for (int turn = 0; turn < 3 * FORMS; turn++) {
        struct clg_test_problem problem = problem_of(turn % FORMS, &random);
        const int64_t *size = sizes[turn / FORMS];
        struct clg_test_case test;
        problem.m = size[0];
        problem.n = size[1];
        problem.k = size[2];
        problem.batch = turn % 3 == 2 ? 2 : 0;
        problem.shares_a = turn % 2;
        clg_test_case_create(&test, &problem, &random);
        clg_test_case_run_and_check_cl(&cl, &test, NULL);
        clg_test_case_destroy(&test);
    }
    clg_test_cl_close(&cl);
}

/* 2 x 2 matrices of whole numbers, all of whose products are known by hand: (1 + 2i)(3 - i) = 5 +
 * 5i, conjugates of either, and their factors. */
static void signs_are_right(void **state) {
    static const float a[] = {1, 2}, b[] = {3, -1};
    static const struct {
        clgemm_transpose ta, tb;
        float alpha[2], re, im;
    } rows[] = {{CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, {1, 0}, 5, 5},
                {CLGEMM_TRANS, CLGEMM_TRANS, {1, 0}, 5, 5},
                {CLGEMM_CONJ_TRANS, CLGEMM_NO_TRANS, {1, 0}, 1, -7},
                {CLGEMM_NO_TRANS, CLGEMM_CONJ_TRANS, {1, 0}, 1, 7},
                {CLGEMM_CONJ_TRANS, CLGEMM_CONJ_TRANS, {1, 0}, 5, -5},
                {CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, {0, 1}, -5, 5},
                {CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, {2, -1}, 15, 5}};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int layout = CLGEMM_ROW_MAJOR; layout <= CLGEMM_COL_MAJOR; layout++) {
            static const float beta[] = {0, 1};
            float c[] = {10, 20};
            clg_test_assert_success(clgemm_cgemm((clgemm_layout)layout, rows[r].ta, rows[r].tb, 1,
                                                 1, 1, rows[r].alpha, a, 1, b, 1, beta, c, 1));
            assert_true(c[0] == rows[r].re - 20 && c[1] == rows[r].im + 10);
        }
}

/* gemm3m is another name of gemm. */
static void other_names_give_the_same(void **state) {
    static const float a[] = {1, 2, 0.1F, 3}, b[] = {3, -1, 7, 0.3F}, one[] = {1, 0};
    static const double wide_a[] = {1, 2, 0.1, 3}, wide_b[] = {3, -1, 7, 0.3}, wide_one[] = {1, 0};
    float c[2][2] = {{1, 2}, {1, 2}};
    double wide_c[2][2] = {{1, 2}, {1, 2}};
    (void)state;
    clg_test_assert_success(clgemm_cgemm(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_CONJ_TRANS, 1, 1,
                                         2, one, a, 2, b, 2, one, c[0], 1));
    clg_test_assert_success(clgemm_cgemm3m(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_CONJ_TRANS, 1,
                                           1, 2, one, a, 2, b, 2, one, c[1], 1));
    assert_memory_equal(c[1], c[0], sizeof c[0]);
    if (num_types() < 2)
        return;
    clg_test_assert_success(clgemm_zgemm(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_CONJ_TRANS, 1, 1,
                                         2, wide_one, wide_a, 2, wide_b, 2, wide_one, wide_c[0],
                                         1));
    clg_test_assert_success(clgemm_zgemm3m(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_CONJ_TRANS, 1,
                                           1, 2, wide_one, wide_a, 2, wide_b, 2, wide_one,
                                           wide_c[1], 1));
    assert_memory_equal(wide_c[1], wide_c[0], sizeof wide_c[0]);
}

/* Rules of the reference BLAS for factors that are 0, with parts that are not. */
static void zeros_read_nothing(void **state) {
    static const double zero[] = {0, 0}, one[] = {1, 0}, turn[] = {0, 1};
    double c[] = {NAN, INFINITY, 1, 2}, a[] = {1, 1}, b[] = {2, 0};
    (void)state;
    if (num_types() < 2)
        return;
    clg_test_assert_success(clgemm_zgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1,
                                         1, one, a, 1, b, 1, zero, c, 1));
    assert_true(c[0] == 2 && c[1] == 2 && c[2] == 1 && c[3] == 2);
    clg_test_assert_success(clgemm_zgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1,
                                         1, zero, NULL, 1, NULL, 1, turn, c, 1));
    assert_true(c[0] == -2 && c[1] == 2);
    clg_test_assert_success(clgemm_zgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1,
                                         0, one, NULL, 1, NULL, 1, one, NULL, 1));
    clg_test_assert_status(clgemm_zgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1,
                                        turn, NULL, 1, b, 1, one, c, 1),
                           CLGEMM_STATUS_INVALID_A);
}

/* A single column may have any leading dimension, which counts numbers twice as large. */
static void leading_dimensions_do_not_overflow(void **state) {
    static const float one[] = {1, 0}, zero[] = {0, 0};
    const float a[] = {1, 2}, b[] = {3, -1};
    float c[2];
    (void)state;
    clg_test_assert_success(clgemm_cgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1,
                                         1, one, a, INT64_MAX, b, INT64_MAX / 2 + 1, zero, c,
                                         INT64_MAX));
    assert_true(c[0] == 5 && c[1] == 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(signs_are_right),
                                       cmocka_unit_test(other_names_give_the_same),
                                       cmocka_unit_test(zeros_read_nothing),
                                       cmocka_unit_test(leading_dimensions_do_not_overflow),
                                       cmocka_unit_test(every_form_is_right),
                                       cmocka_unit_test(every_form_of_long_products_is_right),
                                       cmocka_unit_test(large_products_are_right)};
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
