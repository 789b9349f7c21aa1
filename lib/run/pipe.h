/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in host memory on a device with memory of its own. Threads copy to staging
 * memory, while transfers in both directions and products run at the same time. */
#ifndef CLG_RUN_PIPE_H
#define CLG_RUN_PIPE_H

#include "run/engine.h"
#include "run/host_matrices.h"

/* As clg_host_gemm. *done is false, and nothing has happened, if there is no memory for staging or
 * the problem cannot be cut so that it fits. Then use clg_host_by_buffers. After a failure, C is
 * unchanged or partly written. */
clgemm_status clg_host_by_pipe(struct clg_engine *engine, const struct clg_problem *problem,
                               const struct clg_scalars *scalars,
                               const struct clg_host_matrices *host, struct clg_plan *plan,
                               bool *done);

/* As clg_host_warm. *done is as above. */
clgemm_status clg_host_warm_pipe(struct clg_engine *engine, const struct clg_problem *problem,
                                 bool *done);

#endif
