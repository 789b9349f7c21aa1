/* SPDX-License-Identifier: Apache-2.0
 * The exported functions, one for each name of blas/names.h. Each reads its arguments in the width
 * of the BLAS behind the caller, and determines where it was called from. None changes errno: a
 * first call searches libraries and reads files, and the device's driver does anything. */
#include <errno.h>

#include "blas/batch.h"
#include "blas/element.h"
#include "blas/gemm.h"
#include "blas/groups.h"
#include "blas/read.h"
#include "blas/syrk.h"

#define EXPORT __attribute__((visibility("default")))

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
        const int error = errno;                                                                   \
        const struct clg_route *route = ROUTE(symbol);                                             \
        const struct clg_gemm call = {.type = element,                                             \
                                      .layout = layout,                                            \
                                      .ta = ta,                                                    \
                                      .tb = tb,                                                    \
                                      .m = clg_read_word(route, m),                                \
                                      .n = clg_read_word(route, n),                                \
                                      .k = clg_read_word(route, k),                                \
                                      .alpha = clg_element_read(element, &alpha),                  \
                                      .a = a,                                                      \
                                      .lda = clg_read_word(route, lda),                            \
                                      .b = b,                                                      \
                                      .ldb = clg_read_word(route, ldb),                            \
                                      .beta = clg_element_read(element, &beta),                    \
                                      .c = c,                                                      \
                                      .ldc = clg_read_word(route, ldc)};                           \
        clg_gemm_enter(route, &call);                                                              \
        errno = error;                                                                             \
    }

#define DEFINE_FORTRAN_GEMM(symbol, element, scalar)                                         \
    EXPORT void symbol(const char *ta, const char *tb, const void *m, const void *n,         \
                       const void *k, const scalar *alpha, const scalar *a, const void *lda, \
                       const scalar *b, const void *ldb, const scalar *beta, scalar *c,      \
                       const void *ldc) {                                                    \
        const int error = errno;                                                             \
        const struct clg_route *route = ROUTE(symbol);                                       \
        const struct clg_gemm call = {.type = element,                                       \
                                      .layout = CLGEMM_COL_MAJOR,                            \
                                      .ta = clg_read_transpose(*ta),                         \
                                      .tb = clg_read_transpose(*tb),                         \
                                      .m = clg_read_integer(route, m),                       \
                                      .n = clg_read_integer(route, n),                       \
                                      .k = clg_read_integer(route, k),                       \
                                      .alpha = clg_element_read(element, alpha),             \
                                      .a = a,                                                \
                                      .lda = clg_read_integer(route, lda),                   \
                                      .b = b,                                                \
                                      .ldb = clg_read_integer(route, ldb),                   \
                                      .beta = clg_element_read(element, beta),               \
                                      .c = c,                                                \
                                      .ldc = clg_read_integer(route, ldc)};                  \
        clg_gemm_enter(route, &call);                                                        \
        errno = error;                                                                       \
    }

#define DEFINE_CBLAS_SYRK(symbol, element, scalar)                                            \
    EXPORT void symbol(int layout, int uplo, int trans, clg_word n, clg_word k, scalar alpha, \
                       const scalar *a, clg_word lda, scalar beta, scalar *c, clg_word ldc) { \
        const int error = errno;                                                              \
        const struct clg_route *route = ROUTE(symbol);                                        \
        const struct clg_syrk call = {.type = element,                                        \
                                      .layout = layout,                                       \
                                      .uplo = uplo,                                           \
                                      .trans = trans,                                         \
                                      .n = clg_read_word(route, n),                           \
                                      .k = clg_read_word(route, k),                           \
                                      .alpha = clg_element_read(element, &alpha),             \
                                      .a = a,                                                 \
                                      .lda = clg_read_word(route, lda),                       \
                                      .beta = clg_element_read(element, &beta),               \
                                      .c = c,                                                 \
                                      .ldc = clg_read_word(route, ldc)};                      \
        clg_syrk_enter(route, &call);                                                         \
        errno = error;                                                                        \
    }

#define DEFINE_FORTRAN_SYRK(symbol, element, scalar)                                              \
    EXPORT void symbol(const char *uplo, const char *trans, const void *n, const void *k,         \
                       const scalar *alpha, const scalar *a, const void *lda, const scalar *beta, \
                       scalar *c, const void *ldc) {                                              \
        const int error = errno;                                                                  \
        const struct clg_route *route = ROUTE(symbol);                                            \
        const struct clg_syrk call = {.type = element,                                            \
                                      .layout = CLGEMM_COL_MAJOR,                                 \
                                      .uplo = triangle_of(*uplo),                                 \
                                      .trans = clg_read_transpose(*trans),                        \
                                      .n = clg_read_integer(route, n),                            \
                                      .k = clg_read_integer(route, k),                            \
                                      .alpha = clg_element_read(element, alpha),                  \
                                      .a = a,                                                     \
                                      .lda = clg_read_integer(route, lda),                        \
                                      .beta = clg_element_read(element, beta),                    \
                                      .c = c,                                                     \
                                      .ldc = clg_read_integer(route, ldc)};                       \
        clg_syrk_enter(route, &call);                                                             \
        errno = error;                                                                            \
    }

/* The arrays are the same in both conventions. */
#define GROUPS(of_type, in_layout, groups)                                                    \
    {                                                                                         \
        .type = of_type, .layout = in_layout, .ta = ta, .tb = tb, .m = m, .n = n, .k = k,     \
        .alpha = alpha, .a = (const void *const *)a, .lda = lda, .b = (const void *const *)b, \
        .ldb = ldb, .beta = beta, .c = (void *const *)c, .ldc = ldc, .count = groups,         \
        .sizes = sizes                                                                        \
    }

#define DEFINE_CBLAS_GEMM_BATCH(symbol, element, scalar)                                       \
    EXPORT void symbol(int layout, const int *ta, const int *tb, const void *m, const void *n, \
                       const void *k, const scalar *alpha, const scalar *const *a,             \
                       const void *lda, const scalar *const *b, const void *ldb,               \
                       const scalar *beta, scalar *const *c, const void *ldc, clg_word count,  \
                       const void *sizes) {                                                    \
        const int error = errno;                                                               \
        const struct clg_route *route = ROUTE(symbol);                                         \
        const struct clg_groups call = GROUPS(element, layout, clg_read_word(route, count));   \
        clg_groups_enter(route, &call);                                                        \
        errno = error;                                                                         \
    }

#define DEFINE_FORTRAN_GEMM_BATCH(symbol, element, scalar)                                       \
    EXPORT void symbol(const char *ta, const char *tb, const void *m, const void *n,             \
                       const void *k, const scalar *alpha, const scalar *const *a,               \
                       const void *lda, const scalar *const *b, const void *ldb,                 \
                       const scalar *beta, scalar *const *c, const void *ldc, const void *count, \
                       const void *sizes) {                                                      \
        const int error = errno;                                                                 \
        const struct clg_route *route = ROUTE(symbol);                                           \
        const struct clg_groups call =                                                           \
            GROUPS(element, CLGEMM_COL_MAJOR, clg_read_integer(route, count));                   \
        clg_groups_enter(route, &call);                                                          \
        errno = error;                                                                           \
    }

#define DEFINE_CBLAS_GEMM_BATCH_STRIDED(symbol, element, scalar)                                 \
    EXPORT void symbol(int layout, int ta, int tb, clg_word m, clg_word n, clg_word k,           \
                       scalar alpha, const scalar *a, clg_word lda, clg_word stride_a,           \
                       const scalar *b, clg_word ldb, clg_word stride_b, scalar beta, scalar *c, \
                       clg_word ldc, clg_word stride_c, clg_word count) {                        \
        const int error = errno;                                                                 \
        const struct clg_route *route = ROUTE(symbol);                                           \
        const struct clg_batch call = {.gemm = {.type = element,                                 \
                                                .layout = layout,                                \
                                                .ta = ta,                                        \
                                                .tb = tb,                                        \
                                                .m = clg_read_word(route, m),                    \
                                                .n = clg_read_word(route, n),                    \
                                                .k = clg_read_word(route, k),                    \
                                                .alpha = clg_element_read(element, &alpha),      \
                                                .a = a,                                          \
                                                .lda = clg_read_word(route, lda),                \
                                                .b = b,                                          \
                                                .ldb = clg_read_word(route, ldb),                \
                                                .beta = clg_element_read(element, &beta),        \
                                                .c = c,                                          \
                                                .ldc = clg_read_word(route, ldc)},               \
                                       .count = clg_read_word(route, count),                     \
                                       .stride_a = clg_read_word(route, stride_a),               \
                                       .stride_b = clg_read_word(route, stride_b),               \
                                       .stride_c = clg_read_word(route, stride_c)};              \
        clg_batch_enter(route, &call);                                                           \
        errno = error;                                                                           \
    }

#define DEFINE_FORTRAN_GEMM_BATCH_STRIDED(symbol, element, scalar)                           \
    EXPORT void symbol(const char *ta, const char *tb, const void *m, const void *n,         \
                       const void *k, const scalar *alpha, const scalar *a, const void *lda, \
                       const void *stride_a, const scalar *b, const void *ldb,               \
                       const void *stride_b, const scalar *beta, scalar *c, const void *ldc, \
                       const void *stride_c, const void *count) {                            \
        const int error = errno;                                                             \
        const struct clg_route *route = ROUTE(symbol);                                       \
        const struct clg_batch call = {.gemm = {.type = element,                             \
                                                .layout = CLGEMM_COL_MAJOR,                  \
                                                .ta = clg_read_transpose(*ta),               \
                                                .tb = clg_read_transpose(*tb),               \
                                                .m = clg_read_integer(route, m),             \
                                                .n = clg_read_integer(route, n),             \
                                                .k = clg_read_integer(route, k),             \
                                                .alpha = clg_element_read(element, alpha),   \
                                                .a = a,                                      \
                                                .lda = clg_read_integer(route, lda),         \
                                                .b = b,                                      \
                                                .ldb = clg_read_integer(route, ldb),         \
                                                .beta = clg_element_read(element, beta),     \
                                                .c = c,                                      \
                                                .ldc = clg_read_integer(route, ldc)},        \
                                       .count = clg_read_integer(route, count),              \
                                       .stride_a = clg_read_integer(route, stride_a),        \
                                       .stride_b = clg_read_integer(route, stride_b),        \
                                       .stride_c = clg_read_integer(route, stride_c)};       \
        clg_batch_enter(route, &call);                                                       \
        errno = error;                                                                       \
    }

/* NOLINTEND(bugprone-macro-parentheses) */

#define DEFINE(symbol, convention, kind, letter, type, scalar, ...) \
    DEFINE_##convention##_##kind(symbol, CLGEMM_##type, scalar)
CLG_BLAS_NAMES(DEFINE)
