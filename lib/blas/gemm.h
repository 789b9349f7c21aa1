/* SPDX-License-Identifier: Apache-2.0
 * A call of sgemm or dgemm: on the device or on the CPU. */
#ifndef CLG_BLAS_GEMM_H
#define CLG_BLAS_GEMM_H

#include "blas/find.h"
#include "blas/summary.h"

/* What an exported name does, from wrong arguments to the last count. */
void clg_gemm_enter(const struct clg_route *route, const struct clg_gemm *call);

/* Computes a call whose arguments are right, and says where it was done. C is right in any case. */
enum clg_where clg_gemm_compute(const struct clg_route *route, const struct clg_gemm *call);

/* The device's part of a batch that clg_engine_choose() sent there. On anything but CLG_ON_DEVICE
 * C is as it was, but where beta is 0. */
enum clg_where clg_batch_on_device(const struct clg_batch *batch);

#endif
