/* SPDX-License-Identifier: Apache-2.0
 * Finds the caller's matrices that can be transferred at the bus's speed in place, without a slot:
 * those in memory that CUDA has pinned, if the device's driver makes use of that, which is timed
 * once. */
#ifndef CLG_RUN_PIPE_DIRECT_H
#define CLG_RUN_PIPE_DIRECT_H

#include "run/engine.h"
#include "run/host_matrices.h"

/* A bit for each matrix. */
unsigned clg_pipe_find_direct(struct clg_engine *engine, const struct clg_problem *problem,
                              const struct clg_host_matrices *host);

#endif
