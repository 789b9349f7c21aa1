/* SPDX-License-Identifier: Apache-2.0
 * Calls of ?gemm_batch: groups of products, given by arrays. */
#ifndef CLG_BLAS_GROUPS_H
#define CLG_BLAS_GROUPS_H

#include "blas/find.h"

/* What an exported name does: checks, computes, and counts the call. Each group is decided
 * by itself (blas/batch.h). Consecutive groups for the CPU are one call of the BLAS's own routine.
 * A BLAS without one gets them product by product. */
void clg_groups_enter(const struct clg_route *route, const struct clg_groups *call);

#endif
