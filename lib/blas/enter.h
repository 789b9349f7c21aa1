/* SPDX-License-Identifier: Apache-2.0
 * What the exported names do: each checks the call, computes it and counts it. */
#ifndef CLG_BLAS_ENTER_H
#define CLG_BLAS_ENTER_H

#include "blas/find.h"

/* ?gemm, which is a batch of one product, and ?gemm_batch_strided. */
void clg_batch_enter(const struct clg_route *route, const struct clg_batch *call);

/* ?gemm_batch. Each group is decided by itself (blas/batch.h). Consecutive groups for the CPU are
 * one call of the BLAS's own routine. A BLAS without one gets them product by product. */
void clg_groups_enter(const struct clg_route *route, const struct clg_groups *call);

/* The rest of level 3. */
void clg_level3_enter(const struct clg_route *route, const struct clg_level3 *call);

#endif
