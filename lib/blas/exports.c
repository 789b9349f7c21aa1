/* SPDX-License-Identifier: Apache-2.0
 * The exported functions, one for each name of blas/names.h: each reads its arguments in the width
 * of the BLAS behind the caller, and notes where it was called from. */
#include <stddef.h>

#include "blas/gemm.h"
#include "blas/syrk.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- Arguments ----------------------------------------------------------------------------- */

static int64_t by_value(const struct clg_route *route, clg_word word) {
    return route->is_long ? (int64_t)word : (int32_t)word;
}

static int64_t by_address(const struct clg_route *route, const void *integer) {
    return route->is_long ? *(const int64_t *)integer : *(const int32_t *)integer;
}

static int transpose_of(char letter) {
    switch (letter) {
    case 'N':
    case 'n':
        return CLGEMM_NO_TRANS;
    case 'T':
    case 't':
        return CLGEMM_TRANS;
    case 'C':
    case 'c':
        return CLGEMM_CONJ_TRANS;
    case 'R':
    case 'r':
        return CLG_CONJ_NO_TRANS;
    default:
        return -1;
    }
}

static int triangle_of(char letter) {
    return letter == 'U' || letter == 'u'   ? CLG_UPPER
           : letter == 'L' || letter == 'l' ? CLG_LOWER
                                            : -1;
}

/* ---- One function for each name ------------------------------------------------------------ */

#define ROUTE(symbol) clg_route_find(CLG_NAME_##symbol, __builtin_return_address(0))

/* NOLINTBEGIN(bugprone-macro-parentheses): `scalar` is a type */

#define DEFINE_CBLAS_GEMM(symbol, element, scalar)                                                 \
    EXPORT void symbol(int layout, int ta, int tb, clg_word m, clg_word n, clg_word k,             \
                       scalar alpha, const scalar *a, clg_word lda, const scalar *b, clg_word ldb, \
                       scalar beta, scalar *c, clg_word ldc) {                                     \
        const struct clg_route *route = ROUTE(symbol);                                             \
        const struct clg_gemm call = {.type = element,                                             \
                                      .layout = layout,                                            \
                                      .ta = ta,                                                    \
                                      .tb = tb,                                                    \
                                      .m = by_value(route, m),                                     \
                                      .n = by_value(route, n),                                     \
                                      .k = by_value(route, k),                                     \
                                      .alpha = alpha,                                              \
                                      .a = a,                                                      \
                                      .lda = by_value(route, lda),                                 \
                                      .b = b,                                                      \
                                      .ldb = by_value(route, ldb),                                 \
                                      .beta = beta,                                                \
                                      .c = c,                                                      \
                                      .ldc = by_value(route, ldc)};                                \
        clg_gemm_enter(route, &call);                                                              \
    }

#define DEFINE_FORTRAN_GEMM(symbol, element, scalar)                                         \
    EXPORT void symbol(const char *ta, const char *tb, const void *m, const void *n,         \
                       const void *k, const scalar *alpha, const scalar *a, const void *lda, \
                       const scalar *b, const void *ldb, const scalar *beta, scalar *c,      \
                       const void *ldc) {                                                    \
        const struct clg_route *route = ROUTE(symbol);                                       \
        const struct clg_gemm call = {.type = element,                                       \
                                      .layout = CLGEMM_COL_MAJOR,                            \
                                      .ta = transpose_of(*ta),                               \
                                      .tb = transpose_of(*tb),                               \
                                      .m = by_address(route, m),                             \
                                      .n = by_address(route, n),                             \
                                      .k = by_address(route, k),                             \
                                      .alpha = *alpha,                                       \
                                      .a = a,                                                \
                                      .lda = by_address(route, lda),                         \
                                      .b = b,                                                \
                                      .ldb = by_address(route, ldb),                         \
                                      .beta = *beta,                                         \
                                      .c = c,                                                \
                                      .ldc = by_address(route, ldc)};                        \
        clg_gemm_enter(route, &call);                                                        \
    }

#define DEFINE_CBLAS_SYRK(symbol, element, scalar)                                            \
    EXPORT void symbol(int layout, int uplo, int trans, clg_word n, clg_word k, scalar alpha, \
                       const scalar *a, clg_word lda, scalar beta, scalar *c, clg_word ldc) { \
        const struct clg_route *route = ROUTE(symbol);                                        \
        const struct clg_syrk call = {.type = element,                                        \
                                      .layout = layout,                                       \
                                      .uplo = uplo,                                           \
                                      .trans = trans,                                         \
                                      .n = by_value(route, n),                                \
                                      .k = by_value(route, k),                                \
                                      .alpha = alpha,                                         \
                                      .a = a,                                                 \
                                      .lda = by_value(route, lda),                            \
                                      .beta = beta,                                           \
                                      .c = c,                                                 \
                                      .ldc = by_value(route, ldc)};                           \
        clg_syrk_enter(route, &call);                                                         \
    }

#define DEFINE_FORTRAN_SYRK(symbol, element, scalar)                                              \
    EXPORT void symbol(const char *uplo, const char *trans, const void *n, const void *k,         \
                       const scalar *alpha, const scalar *a, const void *lda, const scalar *beta, \
                       scalar *c, const void *ldc) {                                              \
        const struct clg_route *route = ROUTE(symbol);                                            \
        const struct clg_syrk call = {.type = element,                                            \
                                      .layout = CLGEMM_COL_MAJOR,                                 \
                                      .uplo = triangle_of(*uplo),                                 \
                                      .trans = transpose_of(*trans),                              \
                                      .n = by_address(route, n),                                  \
                                      .k = by_address(route, k),                                  \
                                      .alpha = *alpha,                                            \
                                      .a = a,                                                     \
                                      .lda = by_address(route, lda),                              \
                                      .beta = *beta,                                              \
                                      .c = c,                                                     \
                                      .ldc = by_address(route, ldc)};                             \
        clg_syrk_enter(route, &call);                                                             \
    }

/* NOLINTEND(bugprone-macro-parentheses) */

#define DEFINE(symbol, convention, kind, letter, type, scalar, ...) \
    DEFINE_##convention##_##kind(symbol, CLGEMM_##type, scalar)
CLG_BLAS_NAMES(DEFINE)
