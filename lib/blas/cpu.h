/* SPDX-License-Identifier: Apache-2.0
 * Calls of the program's own BLAS. */
#ifndef CLG_BLAS_CPU_H
#define CLG_BLAS_CPU_H

#include "blas/find.h"

/* How deep this thread is in a call that we have passed on: the reference cblas_sgemm() calls
 * sgemm_(), which comes to us again and must go straight on. */
extern _Thread_local int clg_depth __attribute__((visibility("hidden")));

void clg_cpu_gemm(const struct clg_route *route, const struct clg_gemm *call);
void clg_cpu_syrk(const struct clg_route *route, const struct clg_syrk *call);

/* ?gemm_batch and ?gemm_batch_strided of a route that has a `next`; the batch is by strides. */
void clg_cpu_groups(const struct clg_route *route, const struct clg_groups *call);
void clg_cpu_batch(const struct clg_route *route, const struct clg_batch *batch);

#endif
