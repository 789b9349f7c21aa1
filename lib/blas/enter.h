/* SPDX-License-Identifier: Apache-2.0
 * What the exported names do: each checks the call, computes it and counts it. */
#ifndef CLG_BLAS_ENTER_H
#define CLG_BLAS_ENTER_H

#include "blas/find.h"
#include "blas/summary.h"

/* ?gemm, which is a batch of one product, and ?gemm_batch_strided. */
void clg_batch_enter(const struct clg_route *route, const struct clg_batch *call);

/* ?gemm_batch. Each group is decided by itself (below). Consecutive groups for the CPU are
 * one call of the BLAS's own routine. A BLAS without one gets them product by product. */
void clg_groups_enter(const struct clg_route *route, const struct clg_groups *call);

/* The rest of level 3. */
void clg_level3_enter(const struct clg_route *route, const struct clg_level3 *call);

/* ---- Products with one description: C is right in any case ---- */

/* Returns where a batch is to run: CLG_ON_DEVICE, or why on the CPU. Matrices at equal distances
 * are one call on the device; otherwise each product must pay by itself. */
enum clg_where clg_batch_choose(const struct clg_batch *batch);

/* Computes a batch that is to run on the device, and returns where it ran. If C overlap, the result
 * is that of one product after the other. */
enum clg_where clg_batch_compute(const struct clg_route *route, const struct clg_batch *batch);

/* Computes the products from `first` on by the gemm of the program's BLAS. */
void clg_batch_one_by_one(const struct clg_route *route, const struct clg_batch *batch,
                          int64_t first);

#endif
