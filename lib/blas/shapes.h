/* SPDX-License-Identifier: Apache-2.0
 * The signatures of level 3's other routines, in one list for each. What exports, calls and tests
 * them is generated from these lists. */
#ifndef CLG_BLAS_SHAPES_H
#define CLG_BLAS_SHAPES_H

#include "blas/call.h"

/* The parameters of a routine up to C, which is the last matrix in all, also where the BLAS calls
 * it B: X(sort, type, name).
 *
 * LETTER      a letter, in CBLAS an enumerator
 * SIZE        an integer
 * SCALAR      alpha or beta, of the routine's type
 * REAL        the same, but a real number
 * MATRIX      a matrix that is only read */
#define CLG_SHAPE_SYMM(X, T)                                                        \
    X(LETTER, T, side)                                                              \
    X(LETTER, T, uplo)                                                              \
    X(SIZE, T, m) X(SIZE, T, n) X(SCALAR, T, alpha) X(MATRIX, T, a) X(SIZE, T, lda) \
        X(MATRIX, T, b) X(SIZE, T, ldb) X(SCALAR, T, beta)
#define CLG_SHAPE_RANK(X, T, factor) \
    X(LETTER, T, uplo)               \
    X(LETTER, T, trans)              \
    X(SIZE, T, n) X(SIZE, T, k) X(factor, T, alpha) X(MATRIX, T, a) X(SIZE, T, lda)
#define CLG_SHAPE_SYRK(X, T) CLG_SHAPE_RANK(X, T, SCALAR) X(SCALAR, T, beta)
#define CLG_SHAPE_HERK(X, T) CLG_SHAPE_RANK(X, T, REAL) X(REAL, T, beta)
#define CLG_SHAPE_SYR2K(X, T) \
    CLG_SHAPE_RANK(X, T, SCALAR) X(MATRIX, T, b) X(SIZE, T, ldb) X(SCALAR, T, beta)
#define CLG_SHAPE_HER2K(X, T) \
    CLG_SHAPE_RANK(X, T, SCALAR) X(MATRIX, T, b) X(SIZE, T, ldb) X(REAL, T, beta)
#define CLG_SHAPE_TRMM(X, T)                                                               \
    X(LETTER, T, side)                                                                     \
    X(LETTER, T, uplo)                                                                     \
    X(LETTER, T, trans) X(LETTER, T, diag) X(SIZE, T, m) X(SIZE, T, n) X(SCALAR, T, alpha) \
        X(MATRIX, T, a) X(SIZE, T, lda)
#define CLG_SHAPE_HEMM CLG_SHAPE_SYMM
#define CLG_SHAPE_TRSM CLG_SHAPE_TRMM

/* The parameters as declared by CBLAS and by Fortran. NOLINTBEGIN(bugprone-macro-parentheses) */
#define CLG_CBLAS_LETTER(T, name) int name,
#define CLG_CBLAS_SIZE(T, name) clg_word name,
#define CLG_CBLAS_SCALAR(T, name) clg_scalar_##T name,
#define CLG_CBLAS_REAL(T, name) clg_real_##T name,
#define CLG_CBLAS_MATRIX(T, name) const void *name,
#define CLG_CBLAS_PARAMETER(sort, T, name) CLG_CBLAS_##sort(T, name)
#define CLG_CBLAS_PARAMETERS(kind, T) \
    int layout, CLG_SHAPE_##kind(CLG_CBLAS_PARAMETER, T) void *c, clg_word ldc

#define CLG_FORTRAN_LETTER(name) const char *name,
#define CLG_FORTRAN_SIZE(name) const void *name,
#define CLG_FORTRAN_SCALAR CLG_FORTRAN_SIZE
#define CLG_FORTRAN_REAL CLG_FORTRAN_SIZE
#define CLG_FORTRAN_MATRIX CLG_FORTRAN_SIZE
#define CLG_FORTRAN_PARAMETER(sort, T, name) CLG_FORTRAN_##sort(name)
#define CLG_FORTRAN_PARAMETERS(kind, T) \
    CLG_SHAPE_##kind(CLG_FORTRAN_PARAMETER, T) void *c, const void *ldc
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
