/* SPDX-License-Identifier: Apache-2.0
 * Every name that the drop-in exports for a routine, in one list. The exports and the search for
 * the program's own routine and error handlers are generated from it. */
#ifndef CLG_BLAS_NAMES_H
#define CLG_BLAS_NAMES_H

#include <stdbool.h>

#include "blas/call.h"
#include "blas/summary.h"

/* X(name, convention, kind, letter, type, long, second, gemm, cblas handler, Fortran handler)
 *
 * kind: as in enum clg_kind; prefixed by the letter, the routine (blas/summary.h).
 * long: 1 if the name implies 64-bit integers; 0 if the library behind decides (blas/find.h).
 * second: another name of the same function with integers of the same width, for libraries that
 *     lack the first.
 * gemm: the product of the same type and width of integers.
 * handlers: the functions that report wrong arguments.
 *
 * "64_" is OpenBLAS's suffix, "_64" that of the reference BLAS and MKL. Names with "scipy_" belong
 * to the OpenBLAS in NumPy's and SciPy's wheels. */
#define CLG_BLAS_NAMES(X) CLG_BLAS_PRODUCT_NAMES(X) CLG_BLAS_LEVEL3_NAMES(X)

/* gemm3m is gemm with three real products instead of four. */
#define CLG_BLAS_PRODUCT_NAMES(X)                     \
    CLG_BLAS_GEMM_NAMES(X, s, S, F32)                 \
    CLG_BLAS_GEMM_NAMES(X, d, D, F64)                 \
    CLG_BLAS_GEMM_NAMES(X, c, C, CF32)                \
    CLG_BLAS_GEMM_NAMES(X, z, Z, CF64)                \
    CLG_BLAS_SPELLINGS(X, c, C, CF32, gemm3m, GEMM3M) \
    CLG_BLAS_SPELLINGS(X, z, Z, CF64, gemm3m, GEMM3M)

#define CLG_BLAS_GEMM_NAMES(X, l, L, T)                    \
    CLG_BLAS_SPELLINGS(X, l, L, T, gemm, GEMM)             \
    CLG_BLAS_SPELLINGS(X, l, L, T, gemm_batch, GEMM_BATCH) \
    CLG_BLAS_SPELLINGS(X, l, L, T, gemm_batch_strided, GEMM_BATCH_STRIDED)

#define CLG_BLAS_LEVEL3_NAMES(X)            \
    CLG_BLAS_SYMMETRIC_NAMES(X, s, S, F32)  \
    CLG_BLAS_SYMMETRIC_NAMES(X, d, D, F64)  \
    CLG_BLAS_SYMMETRIC_NAMES(X, c, C, CF32) \
    CLG_BLAS_SYMMETRIC_NAMES(X, z, Z, CF64) \
    CLG_BLAS_HERMITIAN_NAMES(X, c, C, CF32) \
    CLG_BLAS_HERMITIAN_NAMES(X, z, Z, CF64)

#define CLG_BLAS_SYMMETRIC_NAMES(X, l, L, T)     \
    CLG_BLAS_SPELLINGS(X, l, L, T, symm, SYMM)   \
    CLG_BLAS_SPELLINGS(X, l, L, T, syrk, SYRK)   \
    CLG_BLAS_SPELLINGS(X, l, L, T, syr2k, SYR2K) \
    CLG_BLAS_SPELLINGS(X, l, L, T, trmm, TRMM)   \
    CLG_BLAS_SPELLINGS(X, l, L, T, trsm, TRSM)

#define CLG_BLAS_HERMITIAN_NAMES(X, l, L, T)   \
    CLG_BLAS_SPELLINGS(X, l, L, T, hemm, HEMM) \
    CLG_BLAS_SPELLINGS(X, l, L, T, herk, HERK) \
    CLG_BLAS_SPELLINGS(X, l, L, T, her2k, HER2K)

/* A name without prefix and suffix. */
#define CLG_BLAS_NAME(X, name, convention, kind, L, T, second, gemm) \
    X(name, convention, kind, L, T, 0, second, gemm, cblas_xerbla, xerbla_)

/* The names that every routine has; `stem` is for example "gemm". */
#define CLG_BLAS_SPELLINGS(X, l, L, T, stem, kind)                                          \
    CLG_BLAS_NAME(X, cblas_##l##stem, CBLAS, kind, L, T, cblas_##l##stem, cblas_##l##gemm)  \
    CLG_BLAS_NAME(X, l##stem##_, FORTRAN, kind, L, T, l##stem, l##gemm_)                    \
    CLG_BLAS_NAME(X, l##stem, FORTRAN, kind, L, T, l##stem##_, l##gemm_)                    \
    X(cblas_##l##stem##64_, CBLAS, kind, L, T, 1, cblas_##l##stem##_64, cblas_##l##gemm64_, \
      cblas_xerbla64_, xerbla_64_)                                                          \
    X(cblas_##l##stem##_64, CBLAS, kind, L, T, 1, cblas_##l##stem##64_, cblas_##l##gemm_64, \
      cblas_xerbla_64, xerbla_64_)                                                          \
    X(l##stem##_64_, FORTRAN, kind, L, T, 1, l##stem##_64, l##gemm_64_, cblas_xerbla64_,    \
      xerbla_64_)                                                                           \
    X(scipy_cblas_##l##stem##64_, CBLAS, kind, L, T, 1, cblas_##l##stem##64_,               \
      scipy_cblas_##l##gemm64_, scipy_cblas_xerbla64_, scipy_xerbla_64_)                    \
    X(scipy_##l##stem##_64_, FORTRAN, kind, L, T, 1, l##stem##_64_, scipy_##l##gemm_64_,    \
      scipy_cblas_xerbla64_, scipy_xerbla_64_)                                              \
    X(scipy_##l##stem##_, FORTRAN, kind, L, T, 0, scipy_##l##stem##_, scipy_##l##gemm_,     \
      scipy_cblas_xerbla, scipy_xerbla_)

enum clg_convention { CLG_CBLAS, CLG_FORTRAN };

/* A kind of level 3's other routines is that routine in libclgemm. */
enum clg_kind {
    CLG_GEMM,
    CLG_SYMM = CLGEMM_SYMM,
    CLG_HEMM = CLGEMM_HEMM,
    CLG_SYRK = CLGEMM_SYRK,
    CLG_HERK = CLGEMM_HERK,
    CLG_SYR2K = CLGEMM_SYR2K,
    CLG_HER2K = CLGEMM_HER2K,
    CLG_TRMM = CLGEMM_TRMM,
    CLG_TRSM = CLGEMM_TRSM,
    CLG_GEMM3M,
    CLG_GEMM_BATCH,
    CLG_GEMM_BATCH_STRIDED,
    CLG_KINDS
};

static inline bool clg_kind_is_level3(enum clg_kind kind) {
    return kind >= CLG_SYMM && kind <= CLG_TRSM;
}
static inline bool clg_kind_is_batch(enum clg_kind kind) {
    return kind == CLG_GEMM_BATCH || kind == CLG_GEMM_BATCH_STRIDED;
}

struct clg_routine_row {
    enum clg_kind kind;
    clgemm_type type;
    const char *name, *cblas, *fortran; /* "sgemm"; the other two are for error handlers */
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
