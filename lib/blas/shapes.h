/* SPDX-License-Identifier: Apache-2.0
 * The routines' signatures, in one list for each. What exports, calls and tests them is generated
 * from these lists. */
#ifndef CLG_BLAS_SHAPES_H
#define CLG_BLAS_SHAPES_H

#include "blas/call.h"

/* Lists of parameters. */
/* clang-format off */

/* The parameters of a routine, in CBLAS after the layout: X(sort, type, member of the call, name).
 * What the BLAS calls B in trmm and trsm is C.
 *
 * LETTER   a letter, in CBLAS an enumerator
 * SIZE     an integer
 * SCALAR   alpha or beta, of the routine's type
 * REAL     the same, but a real number
 * INPUT    an array that is only read: a matrix, or a batch's integers or scalars
 * OUTPUT   a matrix that is written
 * LETTERS, INPUTS, OUTPUTS   arrays of these, of a batch */
#define CLG_SHAPE_GEMM(X, T)                                                                    \
    X(LETTER, T, gemm.ta, ta)                                                                   \
    X(LETTER, T, gemm.tb, tb) X(SIZE, T, gemm.m, m) X(SIZE, T, gemm.n, n) X(SIZE, T, gemm.k, k) \
        X(SCALAR, T, gemm.alpha, alpha) X(INPUT, T, gemm.a, a) X(SIZE, T, gemm.lda, lda)        \
            X(INPUT, T, gemm.b, b) X(SIZE, T, gemm.ldb, ldb) X(SCALAR, T, gemm.beta, beta)      \
                X(OUTPUT, T, gemm.c, c) X(SIZE, T, gemm.ldc, ldc)
#define CLG_SHAPE_GEMM_BATCH_STRIDED(X, T)                                                      \
    X(LETTER, T, gemm.ta, ta)                                                                   \
    X(LETTER, T, gemm.tb, tb) X(SIZE, T, gemm.m, m) X(SIZE, T, gemm.n, n) X(SIZE, T, gemm.k, k) \
        X(SCALAR, T, gemm.alpha, alpha) X(INPUT, T, gemm.a, a) X(SIZE, T, gemm.lda, lda)        \
            X(SIZE, T, stride_a, stride_a) X(INPUT, T, gemm.b, b) X(SIZE, T, gemm.ldb, ldb)     \
                X(SIZE, T, stride_b, stride_b) X(SCALAR, T, gemm.beta, beta)                    \
                    X(OUTPUT, T, gemm.c, c) X(SIZE, T, gemm.ldc, ldc)                           \
                        X(SIZE, T, stride_c, stride_c) X(SIZE, T, count, count)
#define CLG_SHAPE_GEMM_BATCH(X, T)                                                            \
    X(LETTERS, T, ta, ta)                                                                     \
    X(LETTERS, T, tb, tb) X(INPUT, T, m, m) X(INPUT, T, n, n) X(INPUT, T, k, k)               \
        X(INPUT, T, alpha, alpha) X(INPUTS, T, a, a) X(INPUT, T, lda, lda) X(INPUTS, T, b, b) \
            X(INPUT, T, ldb, ldb) X(INPUT, T, beta, beta) X(OUTPUTS, T, c, c)                 \
                X(INPUT, T, ldc, ldc) X(SIZE, T, count, count) X(INPUT, T, sizes, sizes)
#define CLG_SHAPE_SYMM(X, T)                                                  \
    X(LETTER, T, desc.side, side)                                             \
    X(LETTER, T, desc.uplo, uplo) X(SIZE, T, desc.m, m) X(SIZE, T, desc.n, n) \
        CLG_SHAPE_A(X, T, SCALAR) CLG_SHAPE_B(X, T) CLG_SHAPE_C(X, T, SCALAR)
#define CLG_SHAPE_SYRK(X, T) CLG_SHAPE_RANK(X, T, SCALAR) CLG_SHAPE_C(X, T, SCALAR)
#define CLG_SHAPE_HERK(X, T) CLG_SHAPE_RANK(X, T, REAL) CLG_SHAPE_C(X, T, REAL)
#define CLG_SHAPE_SYR2K(X, T) \
    CLG_SHAPE_RANK(X, T, SCALAR) CLG_SHAPE_B(X, T) CLG_SHAPE_C(X, T, SCALAR)
#define CLG_SHAPE_HER2K(X, T) CLG_SHAPE_RANK(X, T, SCALAR) CLG_SHAPE_B(X, T) CLG_SHAPE_C(X, T, REAL)
#define CLG_SHAPE_TRMM(X, T)                                                                     \
    X(LETTER, T, desc.side, side)                                                                \
    X(LETTER, T, desc.uplo, uplo) X(LETTER, T, desc.trans, trans) X(LETTER, T, desc.diag, diag)  \
        X(SIZE, T, desc.m, m) X(SIZE, T, desc.n, n) CLG_SHAPE_A(X, T, SCALAR) X(OUTPUT, T, c, c) \
            X(SIZE, T, desc.ldc, ldc)
#define CLG_SHAPE_GEMM3M CLG_SHAPE_GEMM
#define CLG_SHAPE_HEMM CLG_SHAPE_SYMM
#define CLG_SHAPE_TRSM CLG_SHAPE_TRMM

/* Parts of these; the factor is SCALAR or REAL. */
#define CLG_SHAPE_A(X, T, factor) \
    X(factor, T, alpha, alpha) X(INPUT, T, a, a) X(SIZE, T, desc.lda, lda)
#define CLG_SHAPE_B(X, T) X(INPUT, T, b, b) X(SIZE, T, desc.ldb, ldb)
#define CLG_SHAPE_C(X, T, factor) \
    X(factor, T, beta, beta) X(OUTPUT, T, c, c) X(SIZE, T, desc.ldc, ldc)
#define CLG_SHAPE_RANK(X, T, factor)                                            \
    X(LETTER, T, desc.uplo, uplo)                                               \
    X(LETTER, T, desc.trans, trans) X(SIZE, T, desc.n, n) X(SIZE, T, desc.k, k) \
        CLG_SHAPE_A(X, T, factor)

/* clang-format on */

/* ---- The parameters as both conventions declare them ---- */

#define CLG_CBLAS_LETTER(T) int
#define CLG_CBLAS_SIZE(T) clg_word
#define CLG_CBLAS_SCALAR(T) clg_scalar_##T
#define CLG_CBLAS_REAL(T) clg_real_##T
#define CLG_CBLAS_INPUT(T) const void *
#define CLG_CBLAS_OUTPUT(T) void *
#define CLG_CBLAS_LETTERS(T) const void *
#define CLG_CBLAS_INPUTS(T) const void *const *
#define CLG_CBLAS_OUTPUTS(T) void *const *
#define CLG_CBLAS_PARAMETER(sort, T, member, name) , CLG_CBLAS_##sort(T) name
#define CLG_CBLAS_PARAMETERS(kind, T) int layout CLG_SHAPE_##kind(CLG_CBLAS_PARAMETER, T)

#define CLG_FORTRAN_LETTER const char *
#define CLG_FORTRAN_SIZE const void *
#define CLG_FORTRAN_SCALAR const void *
#define CLG_FORTRAN_REAL const void *
#define CLG_FORTRAN_INPUT const void *
#define CLG_FORTRAN_OUTPUT void *
#define CLG_FORTRAN_LETTERS const char *
#define CLG_FORTRAN_INPUTS const void *const *
#define CLG_FORTRAN_OUTPUTS void *const *
#define CLG_FORTRAN_PARAMETER(sort, T, member, name) , CLG_FORTRAN_##sort name
#define CLG_FORTRAN_PARAMETERS(kind, T) CLG_LIST(CLG_SHAPE_##kind(CLG_FORTRAN_PARAMETER, T))

/* A list without the comma before its first member. */
#define CLG_LIST(...) CLG_LIST_OF(__VA_ARGS__)
#define CLG_LIST_OF(nothing, ...) __VA_ARGS__

#endif
