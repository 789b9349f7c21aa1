/* SPDX-License-Identifier: Apache-2.0
 * The exported functions, one for each name of blas/names.h. Each reads its arguments in the width
 * of the BLAS behind the caller, and determines where it was called from. None changes errno: a
 * first call searches libraries and reads files, and the device's driver does anything. */
#include <errno.h>

#include "blas/element.h"
#include "blas/enter.h"
#include "blas/read.h"
#include "blas/shapes.h"

#define EXPORT __attribute__((visibility("default")))

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
              ONE(clg_read_integer, CLGEMM_##type, CLGEMM_COL_MAJOR, clg_read_trans(*ta),          \
                  clg_read_trans(*tb), alpha, beta))

#define DEFINE_CBLAS_GEMM3M DEFINE_CBLAS_GEMM
#define DEFINE_FORTRAN_GEMM3M DEFINE_FORTRAN_GEMM

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
              STRIDED(clg_read_integer, CLGEMM_##type, CLGEMM_COL_MAJOR, clg_read_trans(*ta),      \
                      clg_read_trans(*tb), alpha, beta))

/* ---- The rest of level 3 ---- */

/* Parameters as members of a call, by their sort. */
#define FROM_CBLAS_LETTER(T, name) .desc.name = name,
#define FROM_CBLAS_SIZE(T, name) .desc.name = clg_read_word(route, name),
#define FROM_CBLAS_SCALAR(T, name) .name = clg_element_read(CLGEMM_##T, CLG_SCALAR_AT(name)),
#define FROM_CBLAS_REAL(T, name) .name = clg_element_read(clg_real_type(CLGEMM_##T), &(name)),
#define FROM_CBLAS_MATRIX(T, name) .name = name,
#define FROM_CBLAS(sort, T, name) FROM_CBLAS_##sort(T, name)

#define FROM_FORTRAN_LETTER(T, name) .desc.name = clg_read_##name(*name),
#define FROM_FORTRAN_SIZE(T, name) .desc.name = clg_read_integer(route, name),
#define FROM_FORTRAN_SCALAR(T, name) .name = clg_element_read(CLGEMM_##T, name),
#define FROM_FORTRAN_REAL(T, name) .name = clg_element_read(clg_real_type(CLGEMM_##T), name),
#define FROM_FORTRAN_MATRIX(T, name) .name = name,
#define FROM_FORTRAN(sort, T, name) FROM_FORTRAN_##sort(T, name)

#define LEVEL3(kind, of_type, in_layout, of_c, ...)                                           \
    {                                                                                         \
        .desc.size = sizeof(clgemm_level3_desc), .desc.routine = CLGEMM_##kind,               \
        .desc.type = CLGEMM_##of_type, .desc.layout = in_layout, __VA_ARGS__.desc.ldc = of_c, \
        .c = c                                                                                \
    }

#define DEFINE_LEVEL3_CBLAS(symbol, kind, type)                 \
    EXPORT void symbol(CLG_CBLAS_PARAMETERS(kind, type)) ENTER( \
        symbol, level3,                                         \
        LEVEL3(kind, type, layout, clg_read_word(route, ldc), CLG_SHAPE_##kind(FROM_CBLAS, type)))

#define DEFINE_LEVEL3_FORTRAN(symbol, kind, type)                                \
    EXPORT void symbol(CLG_FORTRAN_PARAMETERS(kind, type))                       \
        ENTER(symbol, level3,                                                    \
              LEVEL3(kind, type, CLGEMM_COL_MAJOR, clg_read_integer(route, ldc), \
                     CLG_SHAPE_##kind(FROM_FORTRAN, type)))

/* NOLINTEND(bugprone-macro-parentheses) */

#define DEFINE(symbol, convention, kind, letter, type, ...) \
    DEFINE_##convention##_##kind(symbol, type)
CLG_BLAS_PRODUCT_NAMES(DEFINE)

#define DEFINE_LEVEL3(symbol, convention, kind, letter, type, ...) \
    DEFINE_LEVEL3_##convention(symbol, kind, type)
CLG_BLAS_LEVEL3_NAMES(DEFINE_LEVEL3)
