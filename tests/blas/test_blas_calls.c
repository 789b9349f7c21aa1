/* SPDX-License-Identifier: Apache-2.0
 * Results of a program with the drop-in before its BLAS are right, and its calls run where they
 * should. */
#include <stdio.h>
#include <stdlib.h>

#include "drop_in.h"
#include "judge.h"
#include "level3.h"
#include "support/device.h"

static const char *const on_device[] = {"CLGEMM_MIN_FLOPS=0", NULL};

/* ---- Products ------------------------------------------------------------------------------ */

enum { PRODUCTS = 2 * 9 * 3 * 2 };

/* Every layout, transpose and kind of beta, by both conventions, with gaps. */
static int products(void) {
    static const clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
    static const float betas[] = {0, 1, -0.5F};
    for (int layout = CLGEMM_ROW_MAJOR; layout <= CLGEMM_COL_MAJOR; layout++)
        for (int t = 0; t < 9; t++)
            for (int b = 0; b < 3; b++) {
                const struct clg_test_problem problem = {.layout = (clgemm_layout)layout,
                                                         .ta = transposes[t / 3],
                                                         .tb = transposes[t % 3],
                                                         .m = 33,
                                                         .n = 17,
                                                         .k = 70,
                                                         .alpha = 0.75F,
                                                         .beta = betas[b],
                                                         .alpha_imag = -0.5F,
                                                         .beta_imag = b == 2 ? 2 : 0,
                                                         .gap_a = 3,
                                                         .gap_b = 0,
                                                         .gap_c = 5};
                struct clg_test_problem by_columns = problem;
                drop_in_check_gemm(&problem, BY_CBLAS);
                by_columns.layout = CLGEMM_COL_MAJOR;
                drop_in_check_gemm(&by_columns, BY_FORTRAN);
            }
    return 0;
}

static void products_are_right_on_the_device(void **state) {
    (void)state;
    drop_in_succeed("products", on_device);
    drop_in_assert_lines("clgemm: ?gemm on=device why=", PRODUCTS);
    drop_in_assert_lines("on=cpu", 0);
}

static void products_are_right_on_the_cpu(void **state) {
    (void)state;
    drop_in_succeed("products", NULL);
    drop_in_assert_lines("clgemm: ?gemm on=cpu why=small ms=", PRODUCTS);
    drop_in_assert_lines("on=device", 0);
    const char *const off[] = {"CLGEMM_MIN_FLOPS=0", "CLGEMM_DISABLE=1", NULL};
    drop_in_succeed("products", off);
    drop_in_assert_lines("clgemm: ?gemm on=cpu why=disabled ms=", PRODUCTS);
}

static int conjugated_only(void) {
    struct clg_test_problem problem = clg_test_small_problem();
    problem.ta = (clgemm_transpose)CONJUGATED_ONLY;
    drop_in_check_gemm(&problem, BY_CBLAS);
    problem.layout = CLGEMM_COL_MAJOR;
    problem.tb = (clgemm_transpose)CONJUGATED_ONLY;
    drop_in_check_gemm(&problem, BY_FORTRAN);
    return 0;
}

static void conjugated_operands_stay_with_the_blas(void **state) {
    (void)state;
    drop_in_succeed("conjugated only", on_device);
    drop_in_assert_lines("?gemm on=cpu why=arguments", 2);
    drop_in_assert_lines("on=device", 0);
}

/* ---- The rest of level 3 ------------------------------------------------------------------- */

enum { FORMS = 16 };

/* Every form of each routine, by both conventions. */
static int level3(void) {
    struct clg_test_random random = clg_test_random_start(560);
    for (int routine = CLGEMM_SYMM; routine <= CLGEMM_TRSM; routine++)
        for (int form = 0; form < FORMS; form++)
            for (int names = BY_CBLAS;
                 names <= BY_FORTRAN && clg_test_level3_has((clgemm_routine)routine, drop_in_type);
                 names++)
                level3_check((clgemm_routine)routine, (enum names)names, form, 60, &random);
    return 0;
}

static void assert_level3_lines(const char *where) {
    for (int routine = CLGEMM_SYMM; routine <= CLGEMM_TRSM; routine++) {
        char text[64];
        snprintf(text, sizeof text, "clgemm: ?%s %s", level3_name((clgemm_routine)routine), where);
        drop_in_assert_lines(
            text, clg_test_level3_has((clgemm_routine)routine, drop_in_type) ? 2 * FORMS : 0);
    }
}

static void level3_is_right_on_the_device(void **state) {
    (void)state;
    drop_in_succeed("level 3", on_device);
    assert_level3_lines("on=device");
    drop_in_assert_lines("on=cpu", 0);
}

static void level3_is_right_on_the_cpu(void **state) {
    (void)state;
    drop_in_succeed("level 3", NULL);
    assert_level3_lines("on=cpu why=small");
    drop_in_assert_lines("on=device", 0);
}

/* ---- Where calls go ------------------------------------------------------------------------ */

static int sizes(void) {
    for (int n = 10; n <= 40; n += 10)
        drop_in_multiply(n, 0);
    return 0;
}

/* 2000, 16000, 54000 and 128000 operations; of complex numbers four times as many. */
static void the_threshold_is_the_users(void **state) {
    (void)state;
    static const struct {
        const char *real, *wide;
        int on_device;
    } cases[] = {
        {"0", "0", 4},           {"16000", "64000", 3}, {"1.6001e4", "6.4001e4", 2},
        {"0x1p16", "0x1p18", 1}, {"inf", "inf", 0},     {"many", "many", 0}, /* the measured one */
        {"-1", "-1", 0},         {"nan", "nan", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char setting[64];
        snprintf(setting, sizeof setting, "CLGEMM_MIN_FLOPS=%s",
                 clg_type_is_complex(drop_in_type) ? cases[i].wide : cases[i].real);
        const char *const settings[] = {setting, NULL};
        drop_in_succeed("sizes", settings);
        drop_in_assert_lines("?gemm on=device", cases[i].on_device);
        drop_in_assert_lines("?gemm on=cpu why=small", 4 - cases[i].on_device);
    }
    drop_in_assert_lines("clgemm: CLGEMM_MIN_FLOPS=nan is not understood", 1);
}

/* m, n or k is 0, or alpha is: a device has nothing to do. Results are the reference's. */
static int no_work(void) {
    struct clg_test_problem problem = clg_test_small_problem();
    for (int i = 0; i < 4; i++) {
        struct clg_test_problem empty = problem;
        *(i == 0 ? &empty.m : i == 1 ? &empty.n : &empty.k) = 0;
        if (i == 3) {
            empty.k = problem.k;
            empty.alpha = 0;
        }
        drop_in_check_gemm(&empty, BY_CBLAS);
        empty.layout = CLGEMM_COL_MAJOR;
        drop_in_check_gemm(&empty, BY_FORTRAN);
    }
    const clgemm_level3_desc desc = {.routine = CLGEMM_TRSM,
                                     .type = drop_in_type,
                                     .layout = CLGEMM_COL_MAJOR,
                                     .side = CLGEMM_LEFT,
                                     .uplo = CLGEMM_LOWER,
                                     .trans = CLGEMM_NO_TRANS,
                                     .diag = CLGEMM_UNIT,
                                     .m = 1,
                                     .n = 1,
                                     .lda = 1,
                                     .ldc = 1};
    double _Complex zero = 0, one = 1, x = 1;
    level3_call(level3_function(CLGEMM_TRSM, BY_CBLAS), BY_CBLAS, &desc, &zero, &one, NULL, NULL,
                &x);
    return judge_element(drop_in_type, &x, 0) != 0 || drop_in_is_mapped("libclgemm.so");
}

static void no_device_is_opened_for_nothing(void **state) {
    (void)state;
    drop_in_succeed("no work", on_device);
    drop_in_assert_lines("?gemm on=cpu why=no-work", 8);
    drop_in_assert_lines("?trsm on=cpu why=no-work", 1);
    drop_in_assert_lines("on=device", 0);
}

/* ---- A C that is not copied as a whole ----------------------------------------------------- */

/* 1.1 GiB, in whole numbers, so that every element can be compared: C = A B. */
enum { HUGE_K = 2 };

/* By the size of an element: lines and elements of a line, and lines at once. */
static const struct {
    int n, part;
} huge_sizes[] = {[4] = {17001, 3947}, [8] = {12001, 2795}, [16] = {8501, 1973}};

static int huge_n(void) {
    return huge_sizes[clg_type_size(drop_in_type)].n;
}

static double huge_a(int64_t at) {
    return (double)(at % 13) - 6;
}

static double huge_b(int64_t at) {
    return (double)(at % 11) - 5;
}

/* The expected C(line, at), in the order of its memory. */
static double huge_c(bool by_rows, int64_t line, int64_t at) {
    const int64_t x = HUGE_K * (by_rows ? line : at), y = HUGE_K * (by_rows ? at : line);
    return huge_a(x) * huge_b(y) + huge_a(x + 1) * huge_b(y + 1) +
           (double)((line * huge_n() + at) % 17);
}

static int huge(void) {
    const int64_t n = huge_n();
    const size_t bytes = clg_type_size(drop_in_type) * (size_t)n;
    void *a = clg_test_alloc(bytes * HUGE_K), *b = clg_test_alloc(bytes * HUGE_K),
         *c = clg_test_alloc(bytes * (size_t)n);
    int wrong = 0;
    for (int layout = CLGEMM_ROW_MAJOR; layout <= CLGEMM_COL_MAJOR; layout++) {
        const bool by_rows = layout == CLGEMM_ROW_MAJOR;
        /* Row-major: A is n x 2, B is its transpose's size; column-major likewise. */
        const struct clg_test_problem problem = {.layout = (clgemm_layout)layout,
                                                 .ta = by_rows ? CLGEMM_NO_TRANS : CLGEMM_TRANS,
                                                 .tb = by_rows ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                                 .m = n,
                                                 .n = n,
                                                 .k = HUGE_K,
                                                 .alpha = 1,
                                                 .beta = 1};
        for (int64_t i = 0; i < n * HUGE_K; i++) {
            judge_set(drop_in_type, a, i, huge_a(i));
            judge_set(drop_in_type, b, i, huge_b(i));
        }
        for (int64_t i = 0; i < n * n; i++)
            judge_set(drop_in_type, c, i, (double)(i % 17));
        drop_in_gemm(&problem, BY_CBLAS, a, HUGE_K, b, HUGE_K, c, (int)n);
        for (int64_t line = 0; line < n; line++)
            for (int64_t at = 0; at < n; at++)
                wrong += judge_element(drop_in_type, c, line * n + at) != huge_c(by_rows, line, at);
    }
    free(a);
    free(b);
    free(c);
    return wrong != 0;
}

static void a_huge_product_is_computed_in_parts(void **state) {
    (void)state;
    if (!clg_test_is_long())
        skip();
    drop_in_succeed("huge", on_device);
    drop_in_assert_lines("?gemm on=device", 10);
    const int n = huge_n(), part = huge_sizes[clg_type_size(drop_in_type)].part;
    char shape[64];
    snprintf(shape, sizeof shape, "--shape %dx%dx2", part, n);
    drop_in_assert_lines(shape, 4);
    snprintf(shape, sizeof shape, "--shape %dx%dx2", n, part);
    drop_in_assert_lines(shape, 4);
}

static int own_tests(void) {
    clg_test_require_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_right_on_the_device),
        cmocka_unit_test(products_are_right_on_the_cpu),
        cmocka_unit_test(conjugated_operands_stay_with_the_blas),
        cmocka_unit_test(level3_is_right_on_the_device),
        cmocka_unit_test(level3_is_right_on_the_cpu),
        cmocka_unit_test(the_threshold_is_the_users),
        cmocka_unit_test(no_device_is_opened_for_nothing),
        cmocka_unit_test(a_huge_product_is_computed_in_parts),
    };
    return cmocka_run_group_tests_name("blas: calls", tests, NULL, NULL);
}

int main(int argc, char **argv) {
    static const struct role roles[] = {
        {"products", products}, {"conjugated only", conjugated_only},
        {"level 3", level3},    {"sizes", sizes},
        {"no work", no_work},   {"huge", huge}};
    return drop_in_main(argc, argv, EVERY_TYPE, roles, sizeof roles / sizeof roles[0], own_tests);
}
