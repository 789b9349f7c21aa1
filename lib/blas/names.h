/* SPDX-License-Identifier: Apache-2.0
 * Every name that the drop-in exports for a routine, in one list: the exports, the search for the
 * program's own routine and its error handlers are made from it. */
#ifndef CLG_BLAS_NAMES_H
#define CLG_BLAS_NAMES_H

#include <stdbool.h>

#include "blas/call.h"

/* X(name, convention, routine, long, second, gemm, cblas handler, Fortran handler)
 *
 * long: integers have 64 bits by the name alone; 0: by the library behind it (blas/find.h).
 * second: another name of the same function, with integers of the same width, for libraries that
 *     lack the first.
 * gemm: the sgemm of the same kind.
 * handlers: who is told of wrong arguments.
 *
 * "64_" is OpenBLAS's suffix, "_64" that of the reference BLAS and MKL; "scipy_" names are those of
 * the OpenBLAS in NumPy's and SciPy's wheels. */
#define CLG_BLAS_NAMES(X)                                                                    \
    X(cblas_sgemm, CBLAS, SGEMM, 0, cblas_sgemm, cblas_sgemm, cblas_xerbla, xerbla_)         \
    X(sgemm_, FORTRAN, SGEMM, 0, sgemm, sgemm_, cblas_xerbla, xerbla_)                       \
    X(sgemm, FORTRAN, SGEMM, 0, sgemm_, sgemm_, cblas_xerbla, xerbla_)                       \
    X(cblas_ssyrk, CBLAS, SSYRK, 0, cblas_ssyrk, cblas_sgemm, cblas_xerbla, xerbla_)         \
    X(ssyrk_, FORTRAN, SSYRK, 0, ssyrk, sgemm_, cblas_xerbla, xerbla_)                       \
    X(cblas_sgemm64_, CBLAS, SGEMM, 1, cblas_sgemm_64, cblas_sgemm64_, cblas_xerbla64_,      \
      xerbla_64_)                                                                            \
    X(cblas_sgemm_64, CBLAS, SGEMM, 1, cblas_sgemm64_, cblas_sgemm_64, cblas_xerbla_64,      \
      xerbla_64_)                                                                            \
    X(sgemm_64_, FORTRAN, SGEMM, 1, sgemm_64, sgemm_64_, cblas_xerbla64_, xerbla_64_)        \
    X(cblas_ssyrk64_, CBLAS, SSYRK, 1, cblas_ssyrk_64, cblas_sgemm64_, cblas_xerbla64_,      \
      xerbla_64_)                                                                            \
    X(cblas_ssyrk_64, CBLAS, SSYRK, 1, cblas_ssyrk64_, cblas_sgemm_64, cblas_xerbla_64,      \
      xerbla_64_)                                                                            \
    X(ssyrk_64_, FORTRAN, SSYRK, 1, ssyrk_64, sgemm_64_, cblas_xerbla64_, xerbla_64_)        \
    X(scipy_cblas_sgemm64_, CBLAS, SGEMM, 1, cblas_sgemm64_, scipy_cblas_sgemm64_,           \
      scipy_cblas_xerbla64_, scipy_xerbla_64_)                                               \
    X(scipy_sgemm_64_, FORTRAN, SGEMM, 1, sgemm_64_, scipy_sgemm_64_, scipy_cblas_xerbla64_, \
      scipy_xerbla_64_)                                                                      \
    X(scipy_cblas_ssyrk64_, CBLAS, SSYRK, 1, cblas_ssyrk64_, scipy_cblas_sgemm64_,           \
      scipy_cblas_xerbla64_, scipy_xerbla_64_)                                               \
    X(scipy_ssyrk_64_, FORTRAN, SSYRK, 1, ssyrk_64_, scipy_sgemm_64_, scipy_cblas_xerbla64_, \
      scipy_xerbla_64_)                                                                      \
    X(scipy_sgemm_, FORTRAN, SGEMM, 0, scipy_sgemm_, scipy_sgemm_, scipy_cblas_xerbla,       \
      scipy_xerbla_)                                                                         \
    X(scipy_ssyrk_, FORTRAN, SSYRK, 0, scipy_ssyrk_, scipy_sgemm_, scipy_cblas_xerbla,       \
      scipy_xerbla_)

enum clg_convention { CLG_CBLAS, CLG_FORTRAN };

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
