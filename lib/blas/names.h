/* SPDX-License-Identifier: Apache-2.0
 * Every name that the drop-in exports for a routine, in one list: the exports, the search for the
 * program's own routine and its error handlers are made from it. */
#ifndef CLG_BLAS_NAMES_H
#define CLG_BLAS_NAMES_H

#include <stdbool.h>

#include "blas/call.h"
#include "blas/summary.h"

/* X(name, convention, kind, letter, type, type in C, long, second, gemm, cblas handler, Fortran
 *   handler)
 *
 * kind: GEMM or SYRK; with the letter before it, the routine (blas/summary.h).
 * long: integers have 64 bits by the name alone; 0: by the library behind it (blas/find.h).
 * second: another name of the same function, with integers of the same width, for libraries that
 *     lack the first.
 * gemm: the product of the same type and integers.
 * handlers: who is told of wrong arguments.
 *
 * "64_" is OpenBLAS's suffix, "_64" that of the reference BLAS and MKL; "scipy_" names are those of
 * the OpenBLAS in NumPy's and SciPy's wheels. */
#define CLG_BLAS_NAMES(X)                  \
    CLG_BLAS_NAMES_OF(X, s, S, F32, float) \
    CLG_BLAS_NAMES_OF(X, d, D, F64, double)

#define CLG_BLAS_NAMES_OF(X, l, L, T, C)                                                        \
    X(cblas_##l##gemm, CBLAS, GEMM, L, T, C, 0, cblas_##l##gemm, cblas_##l##gemm, cblas_xerbla, \
      xerbla_)                                                                                  \
    X(l##gemm_, FORTRAN, GEMM, L, T, C, 0, l##gemm, l##gemm_, cblas_xerbla, xerbla_)            \
    X(l##gemm, FORTRAN, GEMM, L, T, C, 0, l##gemm_, l##gemm_, cblas_xerbla, xerbla_)            \
    X(cblas_##l##syrk, CBLAS, SYRK, L, T, C, 0, cblas_##l##syrk, cblas_##l##gemm, cblas_xerbla, \
      xerbla_)                                                                                  \
    X(l##syrk_, FORTRAN, SYRK, L, T, C, 0, l##syrk, l##gemm_, cblas_xerbla, xerbla_)            \
    X(cblas_##l##gemm64_, CBLAS, GEMM, L, T, C, 1, cblas_##l##gemm_64, cblas_##l##gemm64_,      \
      cblas_xerbla64_, xerbla_64_)                                                              \
    X(cblas_##l##gemm_64, CBLAS, GEMM, L, T, C, 1, cblas_##l##gemm64_, cblas_##l##gemm_64,      \
      cblas_xerbla_64, xerbla_64_)                                                              \
    X(l##gemm_64_, FORTRAN, GEMM, L, T, C, 1, l##gemm_64, l##gemm_64_, cblas_xerbla64_,         \
      xerbla_64_)                                                                               \
    X(cblas_##l##syrk64_, CBLAS, SYRK, L, T, C, 1, cblas_##l##syrk_64, cblas_##l##gemm64_,      \
      cblas_xerbla64_, xerbla_64_)                                                              \
    X(cblas_##l##syrk_64, CBLAS, SYRK, L, T, C, 1, cblas_##l##syrk64_, cblas_##l##gemm_64,      \
      cblas_xerbla_64, xerbla_64_)                                                              \
    X(l##syrk_64_, FORTRAN, SYRK, L, T, C, 1, l##syrk_64, l##gemm_64_, cblas_xerbla64_,         \
      xerbla_64_)                                                                               \
    X(scipy_cblas_##l##gemm64_, CBLAS, GEMM, L, T, C, 1, cblas_##l##gemm64_,                    \
      scipy_cblas_##l##gemm64_, scipy_cblas_xerbla64_, scipy_xerbla_64_)                        \
    X(scipy_##l##gemm_64_, FORTRAN, GEMM, L, T, C, 1, l##gemm_64_, scipy_##l##gemm_64_,         \
      scipy_cblas_xerbla64_, scipy_xerbla_64_)                                                  \
    X(scipy_cblas_##l##syrk64_, CBLAS, SYRK, L, T, C, 1, cblas_##l##syrk64_,                    \
      scipy_cblas_##l##gemm64_, scipy_cblas_xerbla64_, scipy_xerbla_64_)                        \
    X(scipy_##l##syrk_64_, FORTRAN, SYRK, L, T, C, 1, l##syrk_64_, scipy_##l##gemm_64_,         \
      scipy_cblas_xerbla64_, scipy_xerbla_64_)                                                  \
    X(scipy_##l##gemm_, FORTRAN, GEMM, L, T, C, 0, scipy_##l##gemm_, scipy_##l##gemm_,          \
      scipy_cblas_xerbla, scipy_xerbla_)                                                        \
    X(scipy_##l##syrk_, FORTRAN, SYRK, L, T, C, 0, scipy_##l##syrk_, scipy_##l##gemm_,          \
      scipy_cblas_xerbla, scipy_xerbla_)

enum clg_convention { CLG_CBLAS, CLG_FORTRAN };
enum clg_kind { CLG_GEMM, CLG_SYRK, CLG_KINDS };

struct clg_routine_row {
    enum clg_kind kind;
    clgemm_type type;
    const char *name, *cblas, *fortran; /* "sgemm"; the latter two as error handlers are told */
};

extern const struct clg_routine_row clg_routines[CLG_ROUTINES];

struct clg_name {
    const char *name, *second;
    enum clg_convention convention;
    enum clg_routine routine;
    bool is_long;
    const char *gemm, *cblas_handler, *fortran_handler;
};

enum clg_name_id {
#define CLG_NAME_ID(name, ...) CLG_NAME_##name,
    CLG_BLAS_NAMES(CLG_NAME_ID)
#undef CLG_NAME_ID
        CLG_NAMES
};

extern const struct clg_name clg_names[CLG_NAMES];

#endif
