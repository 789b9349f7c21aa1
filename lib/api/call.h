/* SPDX-License-Identifier: Apache-2.0
 * A public call's description as the floors below see it. */
#ifndef CLG_API_CALL_H
#define CLG_API_CALL_H

#include "gemm/problem.h"

/* The description that the arguments of sgemm, dgemm ... make. */
clgemm_desc clg_gemm_desc(clgemm_type type, clgemm_layout layout, clgemm_transpose ta,
                          clgemm_transpose tb, int64_t m, int64_t n, int64_t k, int64_t lda,
                          int64_t ldb, int64_t ldc);

/* Copies the caller's description of whatever version into *out. Fails with
 * CLGEMM_STATUS_INVALID_DESC for one that is NULL, too short to say sizes, or has a type, mode or
 * batch that there is not, with CLGEMM_STATUS_UNSUPPORTED where a field that this version does not
 * know is not 0, or no device could compute what it says. */
clgemm_status clg_desc_read(clgemm_desc *out, const clgemm_desc *given);

/* All of a call but where its matrices are: ops' `unusable`, `offset`, `bytes` and `alignment` are
 * the caller's to fill. `math` is what CLGEMM_MATH_DEFAULT means. Fails with
 * CLGEMM_STATUS_INVALID_DESC where alpha or beta is NULL. */
clgemm_status clg_call_init(struct clg_call *out, const clgemm_desc *desc, clgemm_math math,
                            const void *alpha, const void *beta);

#endif
