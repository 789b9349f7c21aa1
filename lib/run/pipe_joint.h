/* SPDX-License-Identifier: Apache-2.0
 * Computes a small problem with joint transfers instead of a pipeline. Its matrices are side by
 * side in one slot of pinned memory and in one buffer on the device. They cross the bus in one
 * transfer each way, in one queue, and the calling thread does all the work. This is fastest if a
 * transfer costs more than its bytes, and waking a thread more than its share of copying.
 *
 *     the buffer   | C | A | B |      up: all with beta, else from A on; down: C */
#ifndef CLG_RUN_PIPE_JOINT_H
#define CLG_RUN_PIPE_JOINT_H

#include "run/engine.h"
#include "run/host_matrices.h"
#include "run/pipe_plan.h"

/* Plain data, made without calling OpenCL. */
struct clg_pipe_joint {
    struct clg_problem problem;                /* as it is in the buffer */
    struct clg_pipe_piece piece[CLG_MATRICES]; /* whole matrices; without rows: unused */
    int64_t up, elements;                      /* of the buffer: those transferred up, and all */
    double seconds;                            /* expected */
};

/* False if the matrices do not fit in one slot. */
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
