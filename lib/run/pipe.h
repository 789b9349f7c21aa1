/* SPDX-License-Identifier: Apache-2.0
 * A multiplication of matrices in host memory on a device with memory of its own: staging by
 * threads, transfers in both directions and products, all at the same time. */
#ifndef CLG_RUN_PIPE_H
#define CLG_RUN_PIPE_H

#include "run/engine.h"
#include "run/host_matrices.h"

/* As clg_host_gemm. *done is false, and nothing has happened, where there is no memory for staging
 * or the problem cannot be cut so that it fits: clg_host_by_buffers can do without. C is as it was
 * after a failure, unless some of its elements have been written by then. */
clgemm_status clg_host_by_pipe(struct clg_engine *engine, const struct clg_problem *problem,
                               const struct clg_scalars *scalars,
                               const struct clg_host_matrices *host, struct clg_plan *plan,
                               bool *done);

/* As clg_host_warm; *done as above. */
clgemm_status clg_host_warm_pipe(struct clg_engine *engine, const struct clg_problem *problem,
                                 bool *done);

#endif
