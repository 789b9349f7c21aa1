/* SPDX-License-Identifier: Apache-2.0
 * A call of sgemm or dgemm: on the device or on the CPU. */
#ifndef CLG_BLAS_GEMM_H
#define CLG_BLAS_GEMM_H

#include "blas/find.h"
#include "blas/summary.h"

/* What an exported name does: checks, computes, and counts the call. */
void clg_gemm_enter(const struct clg_route *route, const struct clg_gemm *call);

/* Computes a call with valid arguments, and returns where it ran. C is right in any case. */
enum clg_where clg_gemm_compute(const struct clg_route *route, const struct clg_gemm *call);

/* Computes on the device a batch for which clg_engine_choose() returned CLG_ON_DEVICE. On any other
 * result C is unchanged unless beta is 0. */
enum clg_where clg_batch_on_device(const struct clg_batch *batch);

#endif
