/* SPDX-License-Identifier: Apache-2.0
 * Products of one description: those of a call of ?gemm_batch_strided, or of a group of one of
 * ?gemm_batch. */
#ifndef CLG_BLAS_BATCH_H
#define CLG_BLAS_BATCH_H

#include "blas/find.h"
#include "blas/summary.h"

/* Where a batch is to run: CLG_ON_DEVICE, or why on the CPU. The device does it at once where its
 * matrices lie evenly; else its products must pay one by one. */
enum clg_where clg_batch_choose(const struct clg_batch *batch);

/* Computes what is to run on the device, and says where it was done. C is right in any case, and
 * where C overlap what one product after the other gives. */
enum clg_where clg_batch_compute(const struct clg_route *route, const struct clg_batch *batch);

/* The products from `first` on by the gemm of the program's BLAS. */
void clg_batch_one_by_one(const struct clg_route *route, const struct clg_batch *batch,
                          int64_t first);

/* What an exported name of ?gemm_batch_strided does, from wrong arguments to the last count. */
void clg_batch_enter(const struct clg_route *route, const struct clg_batch *call);

#endif
