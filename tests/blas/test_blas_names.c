/* SPDX-License-Identifier: Apache-2.0
 * Every name that the drop-in exports computes what it should, in its type and with its integers:
 * on the device, and by the plain loops if no BLAS has the name. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdio.h>

#include "blas/names.h"
#include "drop_in.h"
#include "judge.h"
#include "support/device.h"

enum { M = 5, N = 4, K = 3 };

/* C := 2 op(A) op(B) - C, column-major, in whole numbers; for syrk M x M with A for B. */
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
#define CALL_CBLAS_SYRK(function, type)                                                           \
    ((void (*)(int, int, int, clg_word, clg_word, passed_##type, const void *, clg_word,          \
               passed_##type, void *, clg_word))(function))(CLGEMM_COL_MAJOR, CLG_UPPER,          \
                                                            CLGEMM_NO_TRANS, M, K, PASS(type, 2), \
                                                            a, M, PASS(type, -1), c, M)
#define CALL_FORTRAN_GEMM(function, type)                                                     \
    ((void (*)(const char *, const char *, const int64_t *, const int64_t *, const int64_t *, \
               const void *, const void *, const int64_t *, const void *, const int64_t *,    \
               const void *, void *, const int64_t *))(function))(                            \
        "N", "C", &m, &n, &k, &(scalar_##type){2}, a, &m, b, &n, &(scalar_##type){-1}, c, &m)
#define CALL_FORTRAN_SYRK(function, type)                                                         \
    ((void (*)(const char *, const char *, const int64_t *, const int64_t *, const void *,        \
               const void *, const int64_t *, const void *, void *, const int64_t *))(function))( \
        "U", "N", &m, &k, &(scalar_##type){2}, a, &m, &(scalar_##type){-1}, c, &m)

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

static bool is_product(clgemm_type type, bool syrk, const void *x) {
    for (int j = 0; j < (syrk ? M : N); j++)
        for (int i = 0; i < M; i++) {
            const double _Complex old = judge_number(i + j * M, clg_type_is_complex(type) ? -1 : 0);
            double _Complex exact = -old;
            for (int l = 0; l < K; l++)
                exact += 2 * judge_element(type, a, i + l * M) *
                         conj(syrk ? judge_element(type, a, j + l * M)
                                   : judge_element(type, b, j + l * N));
            if (syrk && i > j)
                exact = old;
            if (judge_element(type, x, i + j * M) != exact)
                return false;
        }
    return true;
}

static bool is_right(clgemm_type type, enum clg_kind kind) {
    return is_product(type, kind == CLG_SYRK, c) &&
           (!clg_kind_is_batch(kind) || is_product(type, false, both_c[1]));
}

/* ---- All names ----------------------------------------------------------------------------- */

static int names(void) {
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
    CLG_BLAS_NAMES(CALL_NAME)
    return wrong;
}

/* The number of names of a kind in the type. */
static int count(enum clg_kind kind) {
    static const struct {
        clgemm_type type;
        enum clg_kind kind;
    } rows[] = {
#define COUNT_ROW(name, convention, kind, letter, type, ...) {CLGEMM_##type, CLG_##kind},
        CLG_BLAS_NAMES(COUNT_ROW)};
    int number = 0;
    for (int i = 0; i < CLG_NAMES; i++)
        number += rows[i].type == drop_in_type && rows[i].kind == kind;
    return number;
}

static void names_reach_the_device(void **state) {
    (void)state;
    const char *const on_device[] = {"CLGEMM_MIN_FLOPS=0", NULL};
    drop_in_succeed("names", on_device);
    int all = 0;
    for (int kind = 0; kind < CLG_KINDS; kind++)
        all += count((enum clg_kind)kind);
    drop_in_assert_lines("clgemm: ?gemm on=device", all);
    drop_in_assert_lines("on=cpu", 0);
}

static void names_reach_the_cpu(void **state) {
    (void)state;
    const char *const off[] = {"CLGEMM_DISABLE=1", "CLGEMM_VERBOSE=2", NULL};
    drop_in_succeed("names", off);
    drop_in_assert_lines("clgemm: ?gemm on=cpu why=disabled", count(CLG_GEMM));
    drop_in_assert_lines("clgemm: ?gemm3m on=cpu why=disabled", count(CLG_GEMM3M));
    drop_in_assert_lines("clgemm: ?syrk on=cpu why=disabled", count(CLG_SYRK));
    drop_in_assert_lines("clgemm: ?gemm_batch on=cpu why=disabled", count(CLG_GEMM_BATCH));
    drop_in_assert_lines("clgemm: ?gemm_batch_strided on=cpu why=disabled",
                         count(CLG_GEMM_BATCH_STRIDED));
    assert_true(drop_in_lines("goes on to plain loops") > 0);
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
