/* SPDX-License-Identifier: Apache-2.0
 * Calls of ?gemm_batch: groups of products, by arrays. */
#ifndef CLG_BLAS_GROUPS_H
#define CLG_BLAS_GROUPS_H

#include "blas/find.h"

/* What an exported name does, from wrong arguments to the last count. Each group goes where it pays
 * (blas/batch.h); those for the CPU that stand side by side go there as one call, to the BLAS's own
 * routine or, where it has none, product by product to its gemm. */
void clg_groups_enter(const struct clg_route *route, const struct clg_groups *call);

#endif
