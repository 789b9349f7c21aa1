/* SPDX-License-Identifier: Apache-2.0
 * Executes a pipeline's plan: acquires what it needs, and releases it. */
#ifndef CLG_RUN_PIPE_JOB_H
#define CLG_RUN_PIPE_JOB_H

#include "run/engine.h"
#include "run/host_matrices.h"
#include "run/pipe_steps.h"

/* Multiplies with the plan `steps`. *plan is that of the last product. *done is false, and nothing
 * has happened, if there is no memory for staging. */
clgemm_status clg_pipe_carry_out(struct clg_engine *engine, const struct clg_pipe_plan *steps,
                                 const struct clg_problem *problem,
                                 const struct clg_scalars *scalars,
                                 const struct clg_host_matrices *host, struct clg_plan *plan,
                                 bool *done);

#endif
