/* SPDX-License-Identifier: Apache-2.0
 * Launching a program once, small, before anyone uses it. */
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

/* A clg_warm_launch's function over a struct clg_warm_step: runs the step on a few tiles (more
 * where its own launch is of 65535 work-items or more, for which PoCL compiles other code) of
 * matrices of its own, and waits. Fails where a smaller problem would not use the same program. */
clgemm_status clg_warm_launch_run(const void *step, cl_program built);

#endif
