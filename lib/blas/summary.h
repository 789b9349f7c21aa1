/* SPDX-License-Identifier: Apache-2.0
 * The counts that `clgemm run` prints. It creates a file; every process that it starts maps the
 * file and adds to it, so that no count is lost however a process ends. */
#ifndef CLG_BLAS_SUMMARY_H
#define CLG_BLAS_SUMMARY_H

#include <stdint.h>

#include "base/log.h"

/* The routines that the drop-in takes: X(NAME, name, kind, type). */
#define CLG_BLAS_ROUTINES(X) CLG_BLAS_PRODUCTS(X) CLG_BLAS_LEVEL3(X)

#define CLG_BLAS_PRODUCTS(X)                                              \
    X(SGEMM, sgemm, GEMM, F32)                                            \
    X(SGEMM_BATCH, sgemm_batch, GEMM_BATCH, F32)                          \
    X(SGEMM_BATCH_STRIDED, sgemm_batch_strided, GEMM_BATCH_STRIDED, F32)  \
    X(DGEMM, dgemm, GEMM, F64)                                            \
    X(DGEMM_BATCH, dgemm_batch, GEMM_BATCH, F64)                          \
    X(DGEMM_BATCH_STRIDED, dgemm_batch_strided, GEMM_BATCH_STRIDED, F64)  \
    X(CGEMM, cgemm, GEMM, CF32)                                           \
    X(CGEMM3M, cgemm3m, GEMM3M, CF32)                                     \
    X(CGEMM_BATCH, cgemm_batch, GEMM_BATCH, CF32)                         \
    X(CGEMM_BATCH_STRIDED, cgemm_batch_strided, GEMM_BATCH_STRIDED, CF32) \
    X(ZGEMM, zgemm, GEMM, CF64)                                           \
    X(ZGEMM3M, zgemm3m, GEMM3M, CF64)                                     \
    X(ZGEMM_BATCH, zgemm_batch, GEMM_BATCH, CF64)                         \
    X(ZGEMM_BATCH_STRIDED, zgemm_batch_strided, GEMM_BATCH_STRIDED, CF64)

#define CLG_BLAS_LEVEL3(X)            \
    CLG_BLAS_SYMMETRIC(X, S, s, F32)  \
    CLG_BLAS_SYMMETRIC(X, D, d, F64)  \
    CLG_BLAS_SYMMETRIC(X, C, c, CF32) \
    CLG_BLAS_HERMITIAN(X, C, c, CF32) \
    CLG_BLAS_SYMMETRIC(X, Z, z, CF64) \
    CLG_BLAS_HERMITIAN(X, Z, z, CF64)

#define CLG_BLAS_SYMMETRIC(X, L, l, type) \
    X(L##SYMM, l##symm, SYMM, type)       \
    X(L##SYRK, l##syrk, SYRK, type)       \
    X(L##SYR2K, l##syr2k, SYR2K, type)    \
    X(L##TRMM, l##trmm, TRMM, type)       \
    X(L##TRSM, l##trsm, TRSM, type)

#define CLG_BLAS_HERMITIAN(X, L, l, type) \
    X(L##HEMM, l##hemm, HEMM, type)       \
    X(L##HERK, l##herk, HERK, type)       \
    X(L##HER2K, l##her2k, HER2K, type)

enum clg_routine {
#define CLG_ROUTINE_ENUM(NAME, name, kind, type) CLG_##NAME,
    CLG_BLAS_ROUTINES(CLG_ROUTINE_ENUM)
#undef CLG_ROUTINE_ENUM
        CLG_ROUTINES
};

/* Where a call ran and, on the CPU, why: X(name, word, sentence). */
#define CLG_BLAS_WHERE(X)                                                                \
    X(DEVICE, "device", "on the device")                                                 \
    X(SMALL, "small", "too few operations to pay (CLGEMM_MIN_FLOPS)")                    \
    X(TRANSFER, "transfer", "too few operations for what a bus would transfer")          \
    X(NO_WORK, "no-work", "nothing to multiply: alpha or a dimension is 0")              \
    X(ARGUMENTS, "arguments", "arguments that only the program's BLAS may support")      \
    X(DISABLED, "disabled", "CLGEMM_DISABLE=1")                                          \
    X(LITTLE, "little", "too little work so far to open a device")                       \
    X(OPENING, "opening", "the device was just being opened")                            \
    X(NO_DEVICE, "no-device", "no usable OpenCL device")                                 \
    X(FORKED, "forked", "in a child of a process that had used OpenCL")                  \
    X(FAILED, "failed", "the device failed in this call")                                \
    X(GIVEN_UP, "given-up", "the device had failed before")                              \
    X(MEMORY, "memory", "no memory to keep a copy of C")                                 \
    X(STACK, "stack", "a thread with too small a stack")                                 \
    X(PRECISION, "precision", "the device cannot compute in this precision")             \
    X(UNSUPPORTED, "unsupported", "the device has no room for it, or cannot compute it") \
    X(EXITING, "exiting", "the program was ending, and nothing is compiled then")

enum clg_where {
#define CLG_WHERE_ENUM(name, word, sentence) CLG_ON_##name,
    CLG_BLAS_WHERE(CLG_WHERE_ENUM)
#undef CLG_WHERE_ENUM
        CLG_WHERES
};

/* All zero except the version when it is created. Counts are added atomically. */
struct clg_summary {
    struct clg_log_last last;
    uint64_t processes;
    struct clg_count {
        uint64_t calls, ns, flops;
    } counts[CLG_ROUTINES][CLG_WHERES];
};

#endif
