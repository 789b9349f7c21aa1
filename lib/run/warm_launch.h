/* SPDX-License-Identifier: Apache-2.0
 * Launches a program once on a small problem, before it is used. */
#ifndef CLG_RUN_WARM_LAUNCH_H
#define CLG_RUN_WARM_LAUNCH_H

#include "gemm/plan.h"
#include "program/programs.h"

/* A step of a plan whose program may have to be launched. */
struct clg_warm_step {
    struct clg_device *device;
    const struct clg_plan *plan;
    int step;
};

/* The function of a clg_warm_launch whose `user` is a struct clg_warm_step. Runs the step on a few
 * tiles of temporary matrices, and waits. It uses more tiles if the step has 65535 work-items or
 * more, for which PoCL compiles other code. Fails if a smaller problem would not use the same
 * program. */
clgemm_status clg_warm_launch_run(const void *step, cl_program built);

#endif
