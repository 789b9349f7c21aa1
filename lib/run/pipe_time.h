/* SPDX-License-Identifier: Apache-2.0
 * Predicts the time of a pipeline. */
#ifndef CLG_RUN_PIPE_TIME_H
#define CLG_RUN_PIPE_TIME_H

#include "run/pipe_speeds.h"
#include "run/pipe_steps.h"

/* Seconds from the call to C's last element. Threads, bus and device each do their work in order,
 * one thing at a time. Pieces may be larger than plan->slot; they would be transferred in parts of
 * that size. */
double clg_pipe_seconds(const struct clg_pipe_plan *plan, const struct clg_pipe_speeds *speeds);

/* The same without a pipeline: one transfer of `up` bytes, a product, and one transfer of `down`
 * bytes; one thread copies. */
double clg_pipe_joint_seconds(const struct clg_problem *problem, double up, double down,
                              const struct clg_pipe_speeds *speeds);

#endif
