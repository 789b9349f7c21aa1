/* SPDX-License-Identifier: Apache-2.0
 * A small problem without a pipeline: its matrices lie side by side in one slot of pinned memory
 * and in one buffer on the device, so that they cross the bus in one transfer either way, in one
 * queue, and the calling thread does it all. Where a transfer costs more than its bytes, and waking
 * a thread more than it copies, that is the quickest way.
 *
 *     C's buffer   | C | A | B |      with beta all goes up, without it from A on; C comes down */
#ifndef CLG_RUN_PIPE_JOINT_H
#define CLG_RUN_PIPE_JOINT_H

#include "run/engine.h"
#include "run/host_matrices.h"
#include "run/pipe_plan.h"

/* Plain data, decided without one OpenCL call. */
struct clg_pipe_joint {
    struct clg_problem problem;                /* as it lies in the buffer */
    struct clg_pipe_piece piece[CLG_MATRICES]; /* the matrices whole; of no rows: not there */
    int64_t up, elements; /* of the buffer: the first ones, which go up, and all */
    double seconds;       /* expected */
};

/* False where the matrices do not fit one slot. */
bool clg_pipe_joint_make(struct clg_pipe_joint *out, const struct clg_problem *problem,
                         bool has_beta, const struct clg_pipe_speeds *speeds,
                         const struct clg_pipe_limits *limits);

/* As clg_pipe_carry_out. */
clgemm_status clg_pipe_joint_carry_out(struct clg_engine *engine, const struct clg_pipe_joint *how,
                                       const struct clg_problem *problem,
                                       const struct clg_scalars *scalars,
                                       const struct clg_host_matrices *host, struct clg_plan *plan,
                                       bool *done);

#endif
