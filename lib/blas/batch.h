/* SPDX-License-Identifier: Apache-2.0
 * Products with one description: a call of ?gemm or ?gemm_batch_strided, or a group of ?gemm_batch.
 * C is right in any case. */
#ifndef CLG_BLAS_BATCH_H
#define CLG_BLAS_BATCH_H

#include "blas/find.h"
#include "blas/summary.h"

/* Returns where a batch is to run: CLG_ON_DEVICE, or why on the CPU. Matrices at equal distances
 * are one call on the device; otherwise each product must pay by itself. */
enum clg_where clg_batch_choose(const struct clg_batch *batch);

/* Computes a batch that is to run on the device, and returns where it ran. If C overlap, the result
 * is that of one product after the other. */
enum clg_where clg_batch_compute(const struct clg_route *route, const struct clg_batch *batch);

/* Computes a product with valid arguments, and returns where it ran. */
enum clg_where clg_gemm_compute(const struct clg_route *route, const struct clg_gemm *call);

/* Computes the products from `first` on by the gemm of the program's BLAS. */
void clg_batch_one_by_one(const struct clg_route *route, const struct clg_batch *batch,
                          int64_t first);

#endif
