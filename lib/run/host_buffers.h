/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in host memory through buffers: over that memory, or copies. */
#ifndef CLG_RUN_HOST_BUFFERS_H
#define CLG_RUN_HOST_BUFFERS_H

#include "run/engine.h"
#include "run/host_matrices.h"

/* As clg_host_gemm and clg_host_warm. With `share`, matrices are used in place where possible (see
 * run/host_layout.h). */
clgemm_status clg_host_by_buffers(bool share, struct clg_engine *engine,
                                  const struct clg_problem *problem,
                                  const struct clg_scalars *scalars,
                                  const struct clg_host_matrices *host, struct clg_plan *plan);
clgemm_status clg_host_warm_buffers(bool share, struct clg_engine *engine,
                                    const struct clg_problem *problem);

#endif
