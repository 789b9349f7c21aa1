/* SPDX-License-Identifier: Apache-2.0
 * The exported functions, one for each name of blas/names.h. Each reads its arguments in the width
 * of the BLAS behind the caller, and determines where it was called from. None changes errno: a
 * first call searches libraries and reads files, and the device's driver does anything. */
#include <errno.h>

#include "blas/element.h"
#include "blas/enter.h"
#include "blas/read.h"

#define EXPORT __attribute__((visibility("default")))

static int triangle_of(char letter) {
    return letter == 'U' || letter == 'u'   ? CLG_UPPER
           : letter == 'L' || letter == 'l' ? CLG_LOWER
                                            : -1;
}

/* ---- One function for each name ------------------------------------------------------------ */

/* NOLINTBEGIN(bugprone-macro-parentheses): a type, and parts of initializers */

/* Keeps errno, and finds where the calling place's calls go on to. */
#define ENTER(symbol, what, ...)                                            \
    {                                                                       \
        const int error = errno;                                            \
        const struct clg_route *route =                                     \
            clg_route_find(CLG_NAME_##symbol, __builtin_return_address(0)); \
        const struct clg_##what call = __VA_ARGS__;                         \
        clg_##what##_enter(route, &call);                                   \
        errno = error;                                                      \
    }

/* Calls, from parameters that have the same names in all functions. INTEGER reads an integer of
 * either convention. */
#define GEMM(INTEGER, of_type, in_layout, of_a, of_b, alpha_at, beta_at)                          \
    {                                                                                             \
        .type = of_type, .layout = in_layout, .ta = of_a, .tb = of_b, .m = INTEGER(route, m),     \
        .n = INTEGER(route, n), .k = INTEGER(route, k),                                           \
        .alpha = clg_element_read(of_type, alpha_at), .a = a, .lda = INTEGER(route, lda), .b = b, \
        .ldb = INTEGER(route, ldb), .beta = clg_element_read(of_type, beta_at), .c = c,           \
        .ldc = INTEGER(route, ldc)                                                                \
    }

#define ONE(...) \
    { .gemm = GEMM(__VA_ARGS__), .count = 1 }

#define STRIDED(INTEGER, ...)                                                       \
    {                                                                               \
        .gemm = GEMM(INTEGER, __VA_ARGS__), .count = INTEGER(route, count),         \
        .stride_a = INTEGER(route, stride_a), .stride_b = INTEGER(route, stride_b), \
        .stride_c = INTEGER(route, stride_c)                                        \
    }

#define SYRK(INTEGER, of_type, in_layout, of_c, of_a, alpha_at, beta_at)                           \
    {                                                                                              \
        .type = of_type, .layout = in_layout, .uplo = of_c, .trans = of_a, .n = INTEGER(route, n), \
        .k = INTEGER(route, k), .alpha = clg_element_read(of_type, alpha_at), .a = a,              \
        .lda = INTEGER(route, lda), .beta = clg_element_read(of_type, beta_at), .c = c,            \
        .ldc = INTEGER(route, ldc)                                                                 \
    }

/* The arrays are the same in both conventions. */
#define GROUPS(INTEGER, of_type, in_layout)                                                       \
    {                                                                                             \
        .type = of_type, .layout = in_layout, .ta = ta, .tb = tb, .m = m, .n = n, .k = k,         \
        .alpha = alpha, .a = a, .lda = lda, .b = b, .ldb = ldb, .beta = beta, .c = c, .ldc = ldc, \
        .count = INTEGER(route, count), .sizes = sizes                                            \
    }

#define DEFINE_CBLAS_GEMM(symbol, type)                                                     \
    EXPORT void symbol(int layout, int ta, int tb, clg_word m, clg_word n, clg_word k,      \
                       clg_scalar_##type alpha, const void *a, clg_word lda, const void *b, \
                       clg_word ldb, clg_scalar_##type beta, void *c, clg_word ldc)         \
        ENTER(symbol, batch,                                                                \
              ONE(clg_read_word, CLGEMM_##type, layout, ta, tb, CLG_SCALAR_AT(alpha),       \
                  CLG_SCALAR_AT(beta)))

#define DEFINE_FORTRAN_GEMM(symbol, type)                                                          \
    EXPORT void symbol(const char *ta, const char *tb, const void *m, const void *n,               \
                       const void *k, const void *alpha, const void *a, const void *lda,           \
                       const void *b, const void *ldb, const void *beta, void *c, const void *ldc) \
        ENTER(symbol, batch,                                                                       \
              ONE(clg_read_integer, CLGEMM_##type, CLGEMM_COL_MAJOR, clg_read_transpose(*ta),      \
                  clg_read_transpose(*tb), alpha, beta))

#define DEFINE_CBLAS_GEMM3M DEFINE_CBLAS_GEMM
#define DEFINE_FORTRAN_GEMM3M DEFINE_FORTRAN_GEMM

#define DEFINE_CBLAS_SYRK(symbol, type)                                                     \
    EXPORT void symbol(int layout, int uplo, int trans, clg_word n, clg_word k,             \
                       clg_scalar_##type alpha, const void *a, clg_word lda,                \
                       clg_scalar_##type beta, void *c, clg_word ldc)                       \
        ENTER(symbol, syrk,                                                                 \
              SYRK(clg_read_word, CLGEMM_##type, layout, uplo, trans, CLG_SCALAR_AT(alpha), \
                   CLG_SCALAR_AT(beta)))

#define DEFINE_FORTRAN_SYRK(symbol, type)                                                   \
    EXPORT void symbol(const char *uplo, const char *trans, const void *n, const void *k,   \
                       const void *alpha, const void *a, const void *lda, const void *beta, \
                       void *c, const void *ldc)                                            \
        ENTER(symbol, syrk,                                                                 \
              SYRK(clg_read_integer, CLGEMM_##type, CLGEMM_COL_MAJOR, triangle_of(*uplo),   \
                   clg_read_transpose(*trans), alpha, beta))

#define DEFINE_CBLAS_GEMM_BATCH(symbol, type)                                                   \
    EXPORT void symbol(int layout, const int *ta, const int *tb, const void *m, const void *n,  \
                       const void *k, const void *alpha, const void *const *a, const void *lda, \
                       const void *const *b, const void *ldb, const void *beta, void *const *c, \
                       const void *ldc, clg_word count, const void *sizes)                      \
        ENTER(symbol, groups, GROUPS(clg_read_word, CLGEMM_##type, layout))

#define DEFINE_FORTRAN_GEMM_BATCH(symbol, type)                                                 \
    EXPORT void symbol(const char *ta, const char *tb, const void *m, const void *n,            \
                       const void *k, const void *alpha, const void *const *a, const void *lda, \
                       const void *const *b, const void *ldb, const void *beta, void *const *c, \
                       const void *ldc, const void *count, const void *sizes)                   \
        ENTER(symbol, groups, GROUPS(clg_read_integer, CLGEMM_##type, CLGEMM_COL_MAJOR))

#define DEFINE_CBLAS_GEMM_BATCH_STRIDED(symbol, type)                                           \
    EXPORT void symbol(int layout, int ta, int tb, clg_word m, clg_word n, clg_word k,          \
                       clg_scalar_##type alpha, const void *a, clg_word lda, clg_word stride_a, \
                       const void *b, clg_word ldb, clg_word stride_b, clg_scalar_##type beta,  \
                       void *c, clg_word ldc, clg_word stride_c, clg_word count)                \
        ENTER(symbol, batch,                                                                    \
              STRIDED(clg_read_word, CLGEMM_##type, layout, ta, tb, CLG_SCALAR_AT(alpha),       \
                      CLG_SCALAR_AT(beta)))

#define DEFINE_FORTRAN_GEMM_BATCH_STRIDED(symbol, type)                                            \
    EXPORT void symbol(const char *ta, const char *tb, const void *m, const void *n,               \
                       const void *k, const void *alpha, const void *a, const void *lda,           \
                       const void *stride_a, const void *b, const void *ldb, const void *stride_b, \
                       const void *beta, void *c, const void *ldc, const void *stride_c,           \
                       const void *count)                                                          \
        ENTER(symbol, batch,                                                                       \
              STRIDED(clg_read_integer, CLGEMM_##type, CLGEMM_COL_MAJOR, clg_read_transpose(*ta),  \
                      clg_read_transpose(*tb), alpha, beta))

/* NOLINTEND(bugprone-macro-parentheses) */

#define DEFINE(symbol, convention, kind, letter, type, ...) \
    DEFINE_##convention##_##kind(symbol, type)
CLG_BLAS_NAMES(DEFINE)
