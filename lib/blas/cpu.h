/* SPDX-License-Identifier: Apache-2.0
 * Calls of the program's own BLAS. */
#ifndef CLG_BLAS_CPU_H
#define CLG_BLAS_CPU_H

#include "blas/find.h"

/* How many passed-on calls this thread is in. The reference cblas_sgemm() calls sgemm_(), which
 * enters the drop-in again and must be passed on at once. */
extern _Thread_local int clg_depth __attribute__((visibility("hidden")));

void clg_cpu_gemm(const struct clg_route *route, const struct clg_gemm *call);
void clg_cpu_level3(const struct clg_route *route, const struct clg_level3 *call);

/* ?gemm_batch and ?gemm_batch_strided of a route that has a `next`; the latter has strides. */
void clg_cpu_groups(const struct clg_route *route, const struct clg_groups *call);
void clg_cpu_batch(const struct clg_route *route, const struct clg_batch *batch);

/* The loops that define the routines, for processes with neither a device nor a BLAS. */
void clg_plain_gemm(const struct clg_gemm *call);
void clg_plain_level3(const struct clg_level3 *call);

#endif
