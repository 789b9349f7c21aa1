/* SPDX-License-Identifier: Apache-2.0
 * What the reference BLAS promises beyond the product: what is read, what is written, and how NaN
 * and infinities propagate. */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/check.h"
#include "support/device.h"
#include "support/gemm.h"

static clgemm_type type; /* all tests run for each */

static struct clg_test_problem square(int64_t n, float alpha, float beta) {
    return (struct clg_test_problem){.type = type,
                                     .layout = CLGEMM_COL_MAJOR,
                                     .ta = CLGEMM_NO_TRANS,
                                     .tb = CLGEMM_NO_TRANS,
                                     .m = n,
                                     .n = n,
                                     .k = n,
                                     .alpha = alpha,
                                     .beta = beta};
}

static const int64_t sizes[] = {5, 70, 256}; /* from a part of a tile to several whole ones */
enum { NUM_SIZES = 3 };

/* Sets one element of the matrix and of its snapshot: the tests below put NaN or Inf there. */
/* Sets an element; of a complex type, its real part. */
static void plant(struct clg_test_matrix *matrix, int64_t i, int64_t j, float value) {
    clg_element_set(type, clg_test_matrix_data(matrix), (i + j * matrix->ld) * clg_type_parts(type),
                    (double)value);
    clg_test_matrix_snapshot(matrix);
}

static void fill(struct clg_test_matrix *matrix, float value) {
    for (int64_t j = 0; j < matrix->vectors; j++)
        for (int64_t i = 0, parts = clg_type_parts(type); i < matrix->length * parts; i++)
            clg_element_set(type, clg_test_matrix_data(matrix), i + j * matrix->ld * parts,
                            (double)value);
    clg_test_matrix_snapshot(matrix);
}

static void nan_in_c_vanishes_with_beta_zero(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(1);
    for (int s = 0; s < NUM_SIZES; s++)
        for (int alpha = 0; alpha < 2; alpha++) {
            struct clg_test_problem problem = square(sizes[s], (float)alpha, 0);
            struct clg_test_case test;
            clg_test_case_create(&test, &problem, &random);
            fill(&test.c, alpha ? NAN : INFINITY);
            clg_test_case_run_and_check(&test, NULL);
            clg_test_case_destroy(&test);
        }
}

/* alpha = 0 or k = 0: A and B may be anything, including NULL. */
static void unread_matrices_may_be_null(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(2);
    static const float betas[] = {0, 1, -0.7f};
    for (int b = 0; b < 3; b++)
        for (int zero_k = 0; zero_k < 2; zero_k++) {
            struct clg_test_problem problem = square(33, zero_k ? 1.0f : 0.0f, betas[b]);
            struct clg_test_case test;
            if (zero_k)
                problem.k = 0;
            problem.gap_c = 4;
            clg_test_case_create(&test, &problem, &random);
            clg_test_assert_success(clg_test_run(&problem, NULL, NULL, test.a.ld, NULL, test.b.ld,
                                                 clg_test_matrix_data(&test.c), test.c.ld));
            clg_test_assert_no_fault(clg_test_case_fault(&test));
            clg_test_case_destroy(&test);
        }
}

static void nan_in_unread_matrices_is_not_seen(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(3);
    struct clg_test_problem problem = square(40, 0, -0.7f);
    struct clg_test_case test;
    clg_test_case_create(&test, &problem, &random);
    fill(&test.a, NAN);
    fill(&test.b, INFINITY);
    clg_test_case_run_and_check(&test, NULL);
    clg_test_case_destroy(&test);
}

/* The judge expects NaN where the exact sum is NaN, and a right number everywhere else: a NaN that
 * spreads through padding or past its row or column is detected. */
static void nan_and_infinity_reach_their_row_and_column_only(void **state) {
    (void)state;
    static const float values[] = {NAN, INFINITY, -INFINITY};
    struct clg_test_random random = clg_test_random_start(4);
    for (int s = 0; s < NUM_SIZES; s++)
        for (int v = 0; v < 3; v++)
            for (int in_b = 0; in_b < 2; in_b++) {
                struct clg_test_problem problem = square(sizes[s], -0.7f, v ? 1.0f : 0.0f);
                struct clg_test_case test;
                int64_t last = sizes[s] - 1;
                clg_test_case_create(&test, &problem, &random);
                plant(in_b ? &test.b : &test.a, last, last, values[v]);
                plant(in_b ? &test.b : &test.a, 1, last / 2, values[v]);
                clg_test_case_run_and_check(&test, NULL);
                clg_test_case_destroy(&test);
            }
}

static void infinity_times_zero_is_nan(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(5);
    struct clg_test_problem problem = square(70, 1, 0);
    struct clg_test_case test;
    clg_test_case_create(&test, &problem, &random);
    fill(&test.b, 0);
    plant(&test.a, 3, 9, INFINITY);
    clg_test_case_run_and_check(&test, NULL);
    assert_true(isnan(clg_element(type, clg_test_matrix_data(&test.c),
                                  (3 + 20 * test.c.ld) * clg_type_parts(type))));
    clg_test_case_destroy(&test);
}

static void nan_in_c_stays_with_beta_one(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(6);
    for (int s = 0; s < NUM_SIZES; s++) {
        struct clg_test_problem problem = square(sizes[s], 1, 1);
        struct clg_test_case test;
        clg_test_case_create(&test, &problem, &random);
        plant(&test.c, 2, 1, NAN);
        plant(&test.c, sizes[s] - 1, 0, INFINITY);
        clg_test_case_run_and_check(&test, NULL);
        clg_test_case_destroy(&test);
    }
}

static void nan_scalars_are_no_zeros(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(7);
    for (int which = 0; which < 2; which++) {
        struct clg_test_problem problem = square(9, which ? NAN : 1.0f, which ? 0.0f : NAN);
        clg_test_problem_check(&problem, &random);
    }
}

/* Negative zero is zero: C is not read, or A and B are not. */
static void negative_zero_scalars_are_zeros(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(8);
    struct clg_test_problem problem = square(20, 1, -0.0f);
    struct clg_test_case test;
    clg_test_case_create(&test, &problem, &random);
    fill(&test.c, NAN);
    clg_test_case_run_and_check(&test, NULL);
    clg_test_case_destroy(&test);
    problem = square(1, -0.0f, 0);
    clg_test_assert_success(clg_test_run(&problem, NULL, NULL, 1, NULL, 1, &(double){5}, 1));
}

static void empty_c_needs_no_matrices(void **state) {
    (void)state;
    for (int form = 0; form < 8; form++) {
        int64_t m = form & 1 ? 0 : 7, n = form & 1 ? 7 : 0;
        clgemm_layout layout = form & 2 ? CLGEMM_COL_MAJOR : CLGEMM_ROW_MAJOR;
        int64_t k = form & 4 ? 0 : 7;
        const struct clg_test_problem problem = {.type = type,
                                                 .layout = layout,
                                                 .ta = CLGEMM_NO_TRANS,
                                                 .tb = CLGEMM_TRANS,
                                                 .m = m,
                                                 .n = n,
                                                 .k = k,
                                                 .alpha = 1};
        clg_test_assert_success(clg_test_run(&problem, NULL, NULL, 7, NULL, 7, NULL, 7));
    }
}

/* In memory that may be read but not written, a write would end the process. */
static void c_is_not_touched_when_nothing_is_added(void **state) {
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *c = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const double a[64] = {0};
    const struct clg_test_problem no_product = square(8, 0, 1);
    struct clg_test_problem no_depth = square(8, 1, 1);
    no_depth.k = 0;
    assert_true(c != MAP_FAILED);
    clg_test_assert_success(clg_test_run(&no_product, NULL, a, 8, a, 8, c, 8));
    clg_test_assert_success(clg_test_run(&no_depth, NULL, NULL, 8, NULL, 8, c, 8));
    /* not read either */
    assert_int_equal(mprotect(c, page, PROT_NONE), 0);
    clg_test_assert_success(clg_test_run(&no_product, NULL, NULL, 8, NULL, 8, c, 8));
    munmap(c, page);
}

static void a_and_b_may_be_the_same_array(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(9);
    for (int s = 0; s < NUM_SIZES; s++) {
        struct clg_test_problem problem = square(sizes[s], 1, 1);
        struct clg_test_case test;
        const void *a;
        problem.tb = CLGEMM_TRANS; /* A times its own transpose */
        clg_test_case_create(&test, &problem, &random);
        a = clg_test_matrix_data(&test.a);
        clg_test_assert_success(clg_test_run(&problem, NULL, a, test.a.ld, a, test.a.ld,
                                             clg_test_matrix_data(&test.c), test.c.ld));
        clg_test_assert_no_fault(clg_test_result_fault(&problem, a, test.a.ld, a, test.a.ld,
                                                       test.c.before, test.c.memory, test.c.ld));
        assert_true(clg_test_matrix_unchanged(&test.a));
        clg_test_case_destroy(&test);
    }
}

/* One array, whose columns of 3n elements hold a column of A, then of B, then of C. */
static void c_may_lie_in_the_gaps_of_a_and_b(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(10);
    for (int s = 0; s < NUM_SIZES; s++) {
        struct clg_test_problem problem = square(sizes[s], -0.7f, 1);
        int64_t n = sizes[s];
        struct clg_test_matrix all;
        clg_test_matrix_create(&all, type, 3 * n, n, 0, 0, &random);
        const void *a = all.memory, *b = clg_element_at(type, a, n);
        void *c = clg_element_at(type, a, 2 * n);
        clg_test_assert_success(clg_test_run(&problem, NULL, a, 3 * n, b, 3 * n, c, 3 * n));
        clg_test_assert_no_fault(clg_test_result_fault(
            &problem, a, 3 * n, b, 3 * n, clg_element_at(type, all.before, 2 * n), c, 3 * n));
        for (int64_t j = 0; j < n; j++)
            assert_memory_equal(clg_element_at(type, a, 3 * n * j),
                                clg_element_at(type, all.before, 3 * n * j),
                                (size_t)(2 * n) * clg_type_size(type));
        clg_test_matrix_destroy(&all);
    }
}

/* Inaccessible pages lie right after the last element of A, B and C. */
static void nothing_past_the_last_element_is_touched(void **state) {
    (void)state;
    enum { M = 37, N = 29, K = 41, LD = 50 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = 9 * page;
    static const size_t spans[] = {(K - 1) * LD + M, (N - 1) * LD + K, (N - 1) * LD + M};
    struct clg_test_random random = clg_test_random_start(11);
    struct clg_test_problem problem = square(M, 1, -0.7f);
    const size_t size = clg_type_size(type);
    void *x[3];
    double old[2 * ((N - 1) * LD + M)]; /* or as many floats, or half as many pairs */
    problem.n = N;
    problem.k = K;
    for (int i = 0; i < 3; i++) {
        char *pages =
            mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(pages != MAP_FAILED && spans[i] * size <= room);
        assert_int_equal(mprotect(pages + room, page, PROT_NONE), 0);
        x[i] = pages + room - spans[i] * size;
        for (size_t e = 0; e < spans[i] * (size_t)clg_type_parts(type); e++)
            clg_element_set(type, x[i], (int64_t)e, clg_test_element(type, &random));
    }
    memcpy(old, x[2], spans[2] * size);
    clg_test_assert_success(clg_test_run(&problem, NULL, x[0], LD, x[1], LD, x[2], LD));
    clg_test_assert_no_fault(clg_test_result_fault(&problem, x[0], LD, x[1], LD, old, x[2], LD));
    for (int i = 0; i < 3; i++)
        munmap((char *)x[i] + spans[i] * size - room, room + page);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(nan_in_c_vanishes_with_beta_zero),
        cmocka_unit_test(unread_matrices_may_be_null),
        cmocka_unit_test(nan_in_unread_matrices_is_not_seen),
        cmocka_unit_test(nan_and_infinity_reach_their_row_and_column_only),
        cmocka_unit_test(infinity_times_zero_is_nan),
        cmocka_unit_test(nan_in_c_stays_with_beta_one),
        cmocka_unit_test(nan_scalars_are_no_zeros),
        cmocka_unit_test(negative_zero_scalars_are_zeros),
        cmocka_unit_test(empty_c_needs_no_matrices),
        cmocka_unit_test(c_is_not_touched_when_nothing_is_added),
        cmocka_unit_test(a_and_b_may_be_the_same_array),
        cmocka_unit_test(c_may_lie_in_the_gaps_of_a_and_b),
        cmocka_unit_test(nothing_past_the_last_element_is_touched),
    };
    clg_test_require_device();
    int failed = 0;
    for (int t = 0; t < clg_test_num_types(); t++) {
        type = clg_test_type(t);
        failed += cmocka_run_group_tests_name(clg_types[type].name, tests, NULL, NULL);
    }
    return failed;
}
