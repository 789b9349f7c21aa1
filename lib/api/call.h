/* SPDX-License-Identifier: Apache-2.0
 * Converts the description of a public call for the layers below, and logs the call. */
#ifndef CLG_API_CALL_H
#define CLG_API_CALL_H

#include "gemm/plan.h"

/* The description for the arguments of clgemm_sgemm, clgemm_dgemm ... */
clgemm_desc clg_gemm_desc(clgemm_type type, clgemm_layout layout, clgemm_transpose ta,
                          clgemm_transpose tb, int64_t m, int64_t n, int64_t k, int64_t lda,
                          int64_t ldb, int64_t ldc);

/* gemm by the BLAS's names: X(name, type, input, output, factor, address). The last is how alpha
 * and beta are passed. */
#define CLG_GEMM_NAMES(X)                                           \
    X(sgemm, F32, const float *, float *, float, CLG_VALUE)         \
    X(dgemm, F64, const double *, double *, double, CLG_VALUE)      \
    X(hgemm, F16, const uint16_t *, uint16_t *, float, CLG_VALUE)   \
    X(cgemm, CF32, const void *, void *, const void *, CLG_ADDRESS) \
    X(zgemm, CF64, const void *, void *, const void *, CLG_ADDRESS)
#define CLG_VALUE(x) &(x)
#define CLG_ADDRESS(x) (x)

/* Copies the caller's description, of any version, into *out. Fails with CLGEMM_STATUS_INVALID_DESC
 * if it is NULL, too short to contain the sizes, or has an invalid type, mode or batch. Fails with
 * CLGEMM_STATUS_UNSUPPORTED if a field that this version does not know is not 0, or if no device
 * could compute what it describes. */
clgemm_status clg_desc_read(clgemm_desc *out, const clgemm_desc *given);

/* Copies a description of any version into *out, of `size` bytes; fields that the caller's lacks
 * are 0. Fails with CLGEMM_STATUS_INVALID_DESC if it is NULL or shorter than `least`, and with
 * CLGEMM_STATUS_UNSUPPORTED if a field that this version does not know is not 0. */
clgemm_status clg_desc_copy(void *out, size_t size, size_t least, const void *given);

/* A part of a scalar, as callers pass alpha and beta: 0 is real, 1 imaginary. */
double clg_scalar_read(clgemm_type type, const void *scalar, int part);

/* 0 or 1 of that type, as callers pass alpha and beta. */
const void *clg_scalar_of(clgemm_type type, bool one);

/* Sets everything in a call but the places of its matrices: the caller sets `unusable`, `offset`,
 * `bytes` and `alignment` of the operands. `math` is what CLGEMM_MATH_DEFAULT means. Fails with
 * CLGEMM_STATUS_INVALID_DESC if alpha or beta is NULL. Reading them is arithmetic: call it between
 * clg_caller_hold() and its release. */
clgemm_status clg_call_init(struct clg_call *out, const clgemm_desc *desc, clgemm_math math,
                            const void *alpha, const void *beta);

/* ---- Verbose lines: what ran, where, why, how long, and the command that repeats it ---- */

/* Logs a call that ran. A negative `ms` is unknown and left out. */
void clg_trace_call(const struct clg_call *call, const struct clg_plan *plan,
                    const struct clg_facts *facts, double ms);

/* Logs a call that failed, with its last error. */
void clg_trace_failure(const struct clg_call *call, clgemm_status status);

#endif
