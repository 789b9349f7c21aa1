/* SPDX-License-Identifier: Apache-2.0
 * Batches in a program with the drop-in before its BLAS: results, where they run, wrong arguments,
 * and a BLAS that has such routines of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batches.h"
#include "judge.h"
#include "support/device.h"

static const char *const on_device[] = {"CLGEMM_MIN_FLOPS=0", NULL};

static struct clg_test_problem batch_of(int64_t n, int64_t batch) {
    return (struct clg_test_problem){.layout = CLGEMM_COL_MAJOR,
                                     .ta = CLGEMM_NO_TRANS,
                                     .tb = CLGEMM_TRANS,
                                     .m = n,
                                     .n = n,
                                     .k = n,
                                     .alpha = 1,
                                     .beta = 0,
                                     .batch = batch};
}

/* ---- Results ------------------------------------------------------------------------------- */

enum { CALLS = 2 * 4 * 3 * 2, COUNT = 5 };

/* Every layout and kind of beta, transposes, gaps and shared matrices, called in one of the three
 * ways and by both conventions. */
static int batches(enum form form) {
    static const clgemm_transpose of_a[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS},
                                  of_b[] = {CLGEMM_NO_TRANS, CLGEMM_CONJ_TRANS};
    static const float betas[] = {0, 1, -0.5F};
    for (int layout = CLGEMM_ROW_MAJOR; layout <= CLGEMM_COL_MAJOR; layout++)
        for (int t = 0; t < 4; t++)
            for (int b = 0; b < 3; b++) {
                struct clg_test_problem problem = {.layout = (clgemm_layout)layout,
                                                   .ta = of_a[t / 2],
                                                   .tb = of_b[t % 2],
                                                   .m = 19,
                                                   .n = 9,
                                                   .k = 23,
                                                   .alpha = 0.75F,
                                                   .beta = betas[b],
                                                   .alpha_imag = -0.5F,
                                                   .beta_imag = b == 2 ? 2 : 0,
                                                   .gap_a = 3,
                                                   .gap_c = 5,
                                                   .batch = COUNT,
                                                   .between = t,
                                                   .shares_a = b == 1 && form == BY_STRIDES,
                                                   .shares_b = b == 2};
                batches_check(&problem, form, BY_CBLAS);
                problem.layout = CLGEMM_COL_MAJOR;
                batches_check(&problem, form, BY_FORTRAN);
            }
    return 0;
}

static int by_strides(void) {
    return batches(BY_STRIDES);
}

static int by_even_arrays(void) {
    return batches(BY_EVEN_ARRAYS);
}

static int by_scattered_arrays(void) {
    return batches(BY_SCATTERED_ARRAYS);
}

static void batches_are_right_on_the_device(void **state) {
    (void)state;
    drop_in_succeed("by strides", on_device);
    drop_in_assert_lines("clgemm: ?gemm on=device why=", CALLS);
    drop_in_assert_lines("--batch 5", CALLS);
    drop_in_assert_lines("on=cpu", 0);
    drop_in_succeed("by even arrays", on_device);
    drop_in_assert_lines("clgemm: ?gemm on=device why=", CALLS);
    drop_in_assert_lines("--batch 5", CALLS);
    drop_in_succeed("by scattered arrays", on_device);
    drop_in_assert_lines("clgemm: ?gemm on=device why=", CALLS * COUNT);
    drop_in_assert_lines("on=cpu", 0);
}

/* Whether OpenBLAS has such routines depends on its version. */
static void batches_are_right_on_the_cpu(void **state) {
    (void)state;
    static const char *const roles[] = {"by strides", "by even arrays", "by scattered arrays"};
    for (int form = BY_STRIDES; form <= BY_SCATTERED_ARRAYS; form++) {
        drop_in_succeed(roles[form], NULL);
        drop_in_assert_lines(form == BY_STRIDES ? "clgemm: ?gemm_batch_strided on=cpu why=small ms="
                                                : "clgemm: ?gemm_batch on=cpu why=small ms=",
                             CALLS);
        drop_in_assert_lines("groups=1 products=5 replay=\"clgemm-bench --shape 19x9x23", CALLS);
        drop_in_assert_lines("on=device", 0);
    }
}

/* ---- Groups -------------------------------------------------------------------------------- */

/* Products of 64^3 among smaller ones, some of which have no work. */
static int groups(void) {
    struct clg_test_problem problems[] = {batch_of(8, 4),  batch_of(6, 0), batch_of(64, 3),
                                          batch_of(12, 1), batch_of(9, 2), batch_of(64, 1)};
    problems[2].beta = 0.5F;
    problems[4].alpha = 0;
    problems[4].beta = 2;
    batches_check_groups(problems, 6, BY_FORTRAN);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        problems[i].layout = CLGEMM_ROW_MAJOR;
    batches_check_groups(problems, 6, BY_CBLAS);
    return 0;
}

static void groups_go_where_they_pay(void **state) {
    (void)state;
    const char *const some[] = {"CLGEMM_MIN_FLOPS=3e5", NULL};
    drop_in_succeed("groups", some);
    drop_in_assert_lines("?gemm on=device why=", 4);
    drop_in_assert_lines("--shape 64x64x64 --batch 3", drop_in_type == CLGEMM_F32 ? 2 : 0);
    drop_in_assert_lines("--shape 64x64x64 --type ? --batch 3", drop_in_type == CLGEMM_F32 ? 0 : 2);
    drop_in_assert_lines("?gemm_batch on=cpu why=small", 4);
    drop_in_assert_lines("groups=2 products=4", 2);
    drop_in_assert_lines("groups=2 products=3", 2);
    drop_in_succeed("groups", on_device);
    drop_in_assert_lines("?gemm on=device why=", 8);
    drop_in_assert_lines("?gemm_batch on=cpu why=no-work", 4);
}

static int nothing(void) {
    unsigned char c[sizeof(double _Complex)] = {1};
    const struct batches_arguments none = {102, 111, 111, 4, 4, 4, 4, 4, 4, 0, 0, c, c, c},
                                   empty = {102, 111, 111, 4, 4, 4, 4, 4, 4, 1, 0, c, c, c};
    for (int names = BY_CBLAS; names <= BY_FORTRAN; names++) {
        batches_call(&none, BY_STRIDES, (enum names)names);
        batches_call(&none, BY_EVEN_ARRAYS, (enum names)names);
        batches_call(&empty, BY_EVEN_ARRAYS, (enum names)names);
    }
    return c[0] == 1 ? 0 : 1;
}

static void no_products_are_none(void **state) {
    (void)state;
    drop_in_succeed("nothing", on_device);
    drop_in_assert_lines("on=device", 0);
    drop_in_assert_lines("products=0", 2);
    drop_in_assert_lines("on=cpu", 2);
}

/* ---- Which batches pay --------------------------------------------------------------------- */

/* The break-even is a cube of 32: as many operations in all, and at least half as many per
 * element. */
static int worths(void) {
    struct clg_test_problem shared = batch_of(15, 20), thin = batch_of(15, 20);
    shared.shares_b = true;
    const struct clg_test_problem enough = batch_of(16, 8), few = batch_of(16, 7),
                                  large = batch_of(32, 2);
    batches_check(&enough, BY_STRIDES, BY_CBLAS);
    batches_check(&enough, BY_EVEN_ARRAYS, BY_CBLAS);
    batches_check(&enough, BY_SCATTERED_ARRAYS, BY_CBLAS);
    batches_check(&few, BY_STRIDES, BY_FORTRAN);
    batches_check(&thin, BY_STRIDES, BY_FORTRAN);
    batches_check(&shared, BY_STRIDES, BY_FORTRAN);
    batches_check(&large, BY_SCATTERED_ARRAYS, BY_FORTRAN);
    return 0;
}

static void size_and_number_decide(void **state) {
    (void)state;
    const char *const cube[] = {clg_type_is_complex(drop_in_type) ? "CLGEMM_MIN_FLOPS=262144"
                                                                  : "CLGEMM_MIN_FLOPS=65536",
                                NULL};
    drop_in_succeed("worths", cube);
    drop_in_assert_lines("on=device", 2 + 1 + 2);
    drop_in_assert_lines("on=cpu why=small", 3);
    drop_in_assert_lines("?gemm_batch on=cpu why=small", 1);
}

/* ---- C that overlap: one after the other --------------------------------------------------- */

/* C := A B + C / 2 in the same C, once for each product of ones: 2, 3, 3.5 ... */
static int overlapping(void) {
    enum { N = 2, TIMES = 4 };
    static double _Complex x[64 * TIMES], c[64];
    for (int i = 0; i < 64 * TIMES; i++)
        judge_set(drop_in_type, x, i, 1);
    const struct batches_arguments arguments = {.layout = 102,
                                                .ta = 111,
                                                .tb = 111,
                                                .m = N,
                                                .n = N,
                                                .k = N,
                                                .lda = N,
                                                .ldb = N,
                                                .ldc = N,
                                                .groups = 1,
                                                .count = TIMES,
                                                .a = x,
                                                .b = x,
                                                .c = c};
    for (int names = BY_CBLAS; names <= BY_FORTRAN; names++) {
        double expected = 0;
        memset(c, 0, sizeof c);
        batches_call(&arguments, BY_EVEN_ARRAYS, (enum names)names);
        for (int i = 0; i < TIMES; i++)
            expected = N + expected / 2;
        for (int i = 0; i < N * N; i++)
            if (judge_element(drop_in_type, c, i) != expected)
                return 1;
    }
    return 0;
}

static void overlapping_products_come_in_turn(void **state) {
    (void)state;
    drop_in_succeed("overlapping", on_device);
    drop_in_assert_lines("on=device", 8);
    drop_in_assert_lines("on=cpu", 0);
}

/* ---- Wrong arguments; the program exports its handlers ------------------------------------- */

#define EXPORT __attribute__((visibility("default")))

static struct {
    int calls, number;
    char routine[32];
} heard;

static void hear(int number, const char *routine, size_t length) {
    heard.calls++;
    heard.number = number;
    snprintf(heard.routine, sizeof heard.routine, "%.*s", (int)length, routine);
}

EXPORT void cblas_xerbla(int number, const char *routine, const char *form, ...);
void cblas_xerbla(int number, const char *routine, const char *form, ...) {
    (void)form;
    hear(number, routine, strlen(routine));
}

EXPORT void xerbla_(const char *routine, const int *number, size_t length);
void xerbla_(const char *routine, const int *number, size_t length) {
    hear(*number, routine, length);
}

/* For A of 3 x 5 and B of 5 x 4. Numbers are those of cblas_?gemm, if that has the argument. */
static const struct wrong {
    struct batches_arguments arguments;
    int number;
} wrongs[] = {
    {{102, 0, 111, 3, 4, 5, 3, 5, 3, 1, 2, 0, 0, 0}, 2},
    {{102, 111, 0, 3, 4, 5, 3, 5, 3, 1, 2, 0, 0, 0}, 3},
    {{102, 111, 111, -1, 4, 5, 3, 5, 3, 1, 2, 0, 0, 0}, 4},
    {{102, 111, 111, 3, -1, 5, 3, 5, 3, 1, 2, 0, 0, 0}, 5},
    {{102, 111, 111, 3, 4, -1, 3, 5, 3, 1, 2, 0, 0, 0}, 6},
    {{102, 111, 111, 3, 4, 5, 2, 5, 3, 1, 2, 0, 0, 0}, 9},
    {{102, 111, 112, 3, 4, 5, 3, 3, 3, 1, 2, 0, 0, 0}, 11},
    {{102, 111, 111, 3, 4, 5, 3, 5, 2, 1, 2, 0, 0, 0}, 14},
    {{102, 111, 111, 3, 4, 5, 3, 5, 3, 1, -1, 0, 0, 0}, -1},  /* the number of products */
    {{102, 111, 111, 3, 4, 5, 3, 5, 3, -1, -1, 0, 0, 0}, -2}, /* the number of groups */
    {{103, 111, 111, 3, 4, 5, 5, 4, 4, 1, 2, 0, 0, 0}, 1},
    {{101, 111, 111, -1, 4, 5, 5, 4, 4, 1, 2, 0, 0, 0}, 5},
    {{101, 111, 111, 3, 4, 5, 4, 4, 4, 1, 2, 0, 0, 0}, 11},
    {{101, 111, 111, 3, 4, 5, 5, 3, 4, 1, 2, 0, 0, 0}, 9},
};

static int refuse(const struct wrong *wrong, enum form form, enum names names) {
    static unsigned char c[64 * sizeof(double _Complex)];
    static const char *const routines[2][2] = {
        [BY_STRIDES] = {"cblas_?gemm_batch_strided", "?GEMM_BATCH_STRIDED "},
        [BY_EVEN_ARRAYS] = {"cblas_?gemm_batch", "?GEMM_BATCH "}};
    struct batches_arguments arguments = wrong->arguments;
    const int own[] = {[BY_STRIDES] = 18, [BY_EVEN_ARRAYS] = wrong->number == -1 ? 16 : 15};
    const int number = (wrong->number < 0 ? own[form] : wrong->number) - (names == BY_FORTRAN);
    char routine[32];
    snprintf(routine, sizeof routine, "%s", routines[form][names]);
    drop_in_name_type(routine);
    memset(c, 1, sizeof c);
    memset(&heard, 0, sizeof heard);
    arguments.a = arguments.b = arguments.c = c;
    batches_call(&arguments, form, names);
    int kept = 1;
    for (size_t i = 0; i < sizeof c; i++)
        kept &= c[i] == 1;
    if (heard.calls == 1 && heard.number == number && strcmp(heard.routine, routine) == 0 && kept)
        return 0;
    fprintf(stderr, "%s %d: heard %d times \"%s\" %d\n", routine, number, heard.calls,
            heard.routine, heard.number);
    return 1;
}

static int numbers(void) {
    int faults = 0;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++)
        for (int form = BY_STRIDES; form <= BY_EVEN_ARRAYS; form++) {
            faults += refuse(&wrongs[i], (enum form)form, BY_CBLAS);
            if (wrongs[i].arguments.layout == 102)
                faults += refuse(&wrongs[i], (enum form)form, BY_FORTRAN);
        }
    return faults;
}

static void wrong_arguments_are_reported(void **state) {
    (void)state;
    drop_in_succeed("numbers", NULL);
    drop_in_assert_lines("", 0);
}

/* ---- A BLAS with batches of its own -------------------------------------------------------- */

static void a_blas_with_batches_gets_them_whole(void **state) {
    (void)state;
    const char *const batched[] = {"LD_PRELOAD=" DROP_IN ":" BATCHED, NULL};
    drop_in_succeed("by strides", batched);
    drop_in_assert_lines("batched: ?gemm_batch_strided", CALLS);
    drop_in_succeed("groups", batched);
    drop_in_assert_lines("batched: ?gemm_batch of 6 groups", 2);
    const char *const some[] = {"LD_PRELOAD=" DROP_IN ":" BATCHED, "CLGEMM_MIN_FLOPS=3e5", NULL};
    drop_in_succeed("groups", some);
    drop_in_assert_lines("batched: ?gemm_batch of 2 groups", 4);
    drop_in_assert_lines("?gemm on=device why=", 4);
}

static int own_tests(void) {
    clg_test_require_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_right_on_the_device),
        cmocka_unit_test(batches_are_right_on_the_cpu),
        cmocka_unit_test(groups_go_where_they_pay),
        cmocka_unit_test(no_products_are_none),
        cmocka_unit_test(size_and_number_decide),
        cmocka_unit_test(overlapping_products_come_in_turn),
        cmocka_unit_test(wrong_arguments_are_reported),
        cmocka_unit_test(a_blas_with_batches_gets_them_whole),
    };
    return cmocka_run_group_tests_name("blas: batches", tests, NULL, NULL);
}

int main(int argc, char **argv) {
    static const struct role roles[] = {{"by strides", by_strides},
                                        {"by even arrays", by_even_arrays},
                                        {"by scattered arrays", by_scattered_arrays},
                                        {"groups", groups},
                                        {"nothing", nothing},
                                        {"worths", worths},
                                        {"overlapping", overlapping},
                                        {"numbers", numbers}};
    return drop_in_main(argc, argv, ONE_TYPE, roles, sizeof roles / sizeof roles[0], own_tests);
}
