/* SPDX-License-Identifier: Apache-2.0
 * Launching a program once, small, before anyone uses it. */
#ifndef CLG_GEMM_EXEC_PRIME_H
#define CLG_GEMM_EXEC_PRIME_H

#include "gemm/plan.h"
#include "program/programs.h"

/* A step of a plan whose program may have to be launched. */
struct clg_priming {
    struct clg_device *device;
    const struct clg_plan *plan;
    int step;
};

/* A clg_primer's function over a struct clg_priming: runs the step on a few tiles (more where its
 * own launch is of 65535 work-items or more, for which PoCL compiles other code) of matrices of its
 * own, and waits. Fails where a smaller problem would not use the same program. */
clgemm_status clg_prime(const void *priming, cl_program built);

#endif
