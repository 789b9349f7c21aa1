/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in host memory through host pointers. */
#ifndef CLG_RUN_HOST_POINTER_H
#define CLG_RUN_HOST_POINTER_H

#include "run/engine.h"
#include "run/host_matrices.h"

/* As clg_host_gemm and clg_host_warm, on a device that supports such pointers. */
clgemm_status clg_host_by_pointer(struct clg_engine *engine, const struct clg_problem *problem,
                                  const struct clg_scalars *scalars,
                                  const struct clg_host_matrices *host, struct clg_plan *plan);
clgemm_status clg_host_warm_pointer(struct clg_engine *engine, const struct clg_problem *problem);

#endif
