/* SPDX-License-Identifier: Apache-2.0
 * Every name that the drop-in exports computes what it should, in its type and with its integers:
 * on the device, and by the plain loops if no BLAS has the name. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "blas/names.h"
#include "drop_in.h"
#include "judge.h"
#include "level3.h"
#include "support/device.h"

enum { M = 5, N = 4, K = 3 };

/* C := 2 op(A) op(B) - C, column-major, in whole numbers. */
static double _Complex a[M * K], b[N * K], c[2 * M * M];

#define TYPE_NAMES(type, l, scalar, passed) \
    typedef scalar scalar_##type;           \
    typedef passed passed_##type;
JUDGE_TYPES(TYPE_NAMES)

/* alpha or beta by value. */
#define PASS(type, value) JUDGE_PASS((scalar_##type){value})

/* ---- One call ------------------------------------------------------------------------------ */

/* Integers by value are machine words, whatever their width. Of those by address the low half is
 * read. */
static const int64_t m = M, n = N, k = K;

#define CALL_CBLAS_GEMM(function, type)                                                            \
    ((void (*)(int, int, int, clg_word, clg_word, clg_word, passed_##type, const void *, clg_word, \
               const void *, clg_word, passed_##type, void *, clg_word))(function))(               \
        CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_CONJ_TRANS, M, N, K, PASS(type, 2), a, M, b, N,  \
        PASS(type, -1), c, M)
#define CALL_CBLAS_GEMM3M CALL_CBLAS_GEMM
#define CALL_FORTRAN_GEMM3M CALL_FORTRAN_GEMM
#define CALL_FORTRAN_GEMM(function, type)                                                     \
    ((void (*)(const char *, const char *, const int64_t *, const int64_t *, const int64_t *, \
               const void *, const void *, const int64_t *, const void *, const int64_t *,    \
               const void *, void *, const int64_t *))(function))(                            \
        "N", "C", &m, &n, &k, &(scalar_##type){2}, a, &m, b, &n, &(scalar_##type){-1}, c, &m)

/* In a batch the second product is the first again, with its own C after the first one's. */
static const int64_t two = 2, one = 1, none = 0, apart = M * M;
static const void *const both_a[] = {a, a}, *const both_b[] = {b, b};
static void *both_c[2];

#define CALL_CBLAS_GEMM_BATCH(function, type)                                                    \
    ((void (*)(int, const int *, const int *, const int64_t *, const int64_t *, const int64_t *, \
               const void *, const void *const *, const int64_t *, const void *const *,          \
               const int64_t *, const void *, void *const *, const int64_t *, clg_word,          \
               const int64_t *))(function))(                                                     \
        CLGEMM_COL_MAJOR, &(int){CLGEMM_NO_TRANS}, &(int){CLGEMM_CONJ_TRANS}, &m, &n, &k,        \
        &(scalar_##type){2}, both_a, &m, both_b, &n, &(scalar_##type){-1}, both_c, &m, 1, &two)
#define CALL_FORTRAN_GEMM_BATCH(function, type)                                                    \
    ((void (*)(const char *, const char *, const int64_t *, const int64_t *, const int64_t *,      \
               const void *, const void *const *, const int64_t *, const void *const *,            \
               const int64_t *, const void *, void *const *, const int64_t *, const int64_t *,     \
               const int64_t *))(function))("N", "C", &m, &n, &k, &(scalar_##type){2}, both_a, &m, \
                                            both_b, &n, &(scalar_##type){-1}, both_c, &m, &one,    \
                                            &two)
#define CALL_CBLAS_GEMM_BATCH_STRIDED(function, type)                                              \
    ((void (*)(int, int, int, clg_word, clg_word, clg_word, passed_##type, const void *, clg_word, \
               clg_word, const void *, clg_word, clg_word, passed_##type, void *, clg_word,        \
               clg_word, clg_word))(function))(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS,                  \
                                               CLGEMM_CONJ_TRANS, M, N, K, PASS(type, 2), a, M, 0, \
                                               b, N, 0, PASS(type, -1), c, M, M * M, 2)
#define CALL_FORTRAN_GEMM_BATCH_STRIDED(function, type)                                       \
    ((void (*)(const char *, const char *, const int64_t *, const int64_t *, const int64_t *, \
               const void *, const void *, const int64_t *, const int64_t *, const void *,    \
               const int64_t *, const int64_t *, const void *, void *, const int64_t *,       \
               const int64_t *, const int64_t *))(function))(                                 \
        "N", "C", &m, &n, &k, &(scalar_##type){2}, a, &m, &none, b, &n, &none,                \
        &(scalar_##type){-1}, c, &m, &apart, &two)

static void fill(clgemm_type type) {
    for (int i = 0; i < M * K; i++)
        judge_set(type, a, i, judge_number(i % 7 - 3, i % 3));
    for (int i = 0; i < N * K; i++)
        judge_set(type, b, i, judge_number(i % 5 - 2, i % 4));
    for (int i = 0; i < 2 * M * M; i++)
        judge_set(type, c, i, judge_number(i % (M * M), -1));
    both_c[0] = c;
    both_c[1] = clg_element_at(type, c, M * M);
}

static bool is_product(clgemm_type type, const void *x) {
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            const double _Complex old = judge_number(i + j * M, clg_type_is_complex(type) ? -1 : 0);
            double _Complex exact = -old;
            for (int l = 0; l < K; l++)
                exact +=
                    2 * judge_element(type, a, i + l * M) * conj(judge_element(type, b, j + l * N));
            if (judge_element(type, x, i + j * M) != exact)
                return false;
        }
    return true;
}

static bool is_right(clgemm_type type, enum clg_kind kind) {
    return is_product(type, c) && (!clg_kind_is_batch(kind) || is_product(type, both_c[1]));
}

/* ---- All names ----------------------------------------------------------------------------- */

static int product_names(void) {
    int wrong = 0;
#define CALL_NAME(name, convention, kind, letter, type, ...)                                   \
    if (drop_in_type == CLGEMM_##type) {                                                       \
        void *function = dlsym(RTLD_DEFAULT, #name);                                           \
        fill(CLGEMM_##type);                                                                   \
        if (function)                                                                          \
            CALL_##convention##_##kind(function, type);                                        \
        if (!function || !is_right(CLGEMM_##type, CLG_##kind))                                 \
            wrong += fprintf(stderr, "%s is %s\n", #name, function ? "wrong" : "missing") > 0; \
    }
    CLG_BLAS_PRODUCT_NAMES(CALL_NAME)
    return wrong;
}

/* Each in another form. */
static int level3_names(void) {
    struct clg_test_random random = clg_test_random_start(580);
    int wrong = 0;
    for (int i = 0; i < CLG_NAMES; i++) {
        const struct clg_name *name = &clg_names[i];
        const struct clg_routine_row *routine = &clg_routines[name->routine];
        if (routine->type != drop_in_type || !clg_kind_is_level3(routine->kind))
            continue;
        void *function = dlsym(RTLD_DEFAULT, name->name);
        const char *fault =
            !function
                ? "is missing"
                : level3_fault(function, name->convention == CLG_CBLAS ? BY_CBLAS : BY_FORTRAN,
                               (clgemm_routine)routine->kind, i, 20, &random);
        if (fault)
            wrong += fprintf(stderr, "%s: %s\n", name->name, fault) > 0;
    }
    return wrong;
}

static int names(void) {
    return product_names() + level3_names();
}

static int count(enum clg_routine routine) {
    int number = 0;
    for (int i = 0; i < CLG_NAMES; i++)
        number += clg_names[i].routine == routine;
    return number;
}

/* A line for each name. What the device computes of products is one routine there. */
static void assert_lines(const char *where, bool products_are_one) {
    char text[96];
    int products = 0;
    for (int r = 0; r < CLG_ROUTINES; r++) {
        if (clg_routines[r].type != drop_in_type)
            continue;
        if (products_are_one && !clg_kind_is_level3(clg_routines[r].kind)) {
            products += count((enum clg_routine)r);
            continue;
        }
        snprintf(text, sizeof text, "clgemm: %s %s", clg_routines[r].name, where);
        drop_in_assert_lines(text, count((enum clg_routine)r));
    }
    snprintf(text, sizeof text, "clgemm: ?gemm %s", where);
    if (products_are_one)
        drop_in_assert_lines(text, products);
}

static void names_reach_the_device(void **state) {
    (void)state;
    const char *const on_device[] = {"CLGEMM_MIN_FLOPS=0", NULL};
    drop_in_succeed("names", on_device);
    assert_lines("on=device", true);
    drop_in_assert_lines("on=cpu", 0);
}

static void names_reach_the_cpu(void **state) {
    (void)state;
    const char *const off[] = {"CLGEMM_DISABLE=1", "CLGEMM_VERBOSE=2", NULL};
    drop_in_succeed("names", off);
    assert_lines("on=cpu why=disabled", false);
    int unknown = 0; /* names that no BLAS here has */
    for (int i = 0; i < CLG_NAMES; i++)
        unknown += clg_routines[clg_names[i].routine].type == drop_in_type &&
                   strncmp(clg_names[i].name, "scipy_", 6) == 0;
    assert_true(drop_in_lines("goes on to plain loops") >= unknown);
}

static int own_tests(void) {
    clg_test_require_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_reach_the_device),
        cmocka_unit_test(names_reach_the_cpu),
    };
    return cmocka_run_group_tests_name("blas: names", tests, NULL, NULL);
}

int main(int argc, char **argv) {
    static const struct role roles[] = {{"names", names}};
    return drop_in_main(argc, argv, EVERY_TYPE, roles, sizeof roles / sizeof roles[0], own_tests);
}
