/* SPDX-License-Identifier: Apache-2.0
 * The time that a pipeline should take. */
#ifndef CLG_RUN_PIPE_TIME_H
#define CLG_RUN_PIPE_TIME_H

#include "run/pipe_speeds.h"
#include "run/pipe_steps.h"

/* Seconds from the call to C's last element: threads, bus and device each take what comes in order,
 * one thing at a time. Pieces may be longer than plan->slot, in which they would be sent. */
double clg_pipe_seconds(const struct clg_pipe_plan *plan, const struct clg_pipe_speeds *speeds);

/* The same without a pipeline: one transfer of so many bytes up, a product, one down; one thread
 * copies. */
double clg_pipe_joint_seconds(const struct clg_problem *problem, double up, double down,
                              const struct clg_pipe_speeds *speeds);

#endif
