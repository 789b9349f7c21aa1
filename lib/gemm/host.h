/* SPDX-License-Identifier: Apache-2.0
 * A multiplication of matrices in host memory: copies there, commands, a copy back. */
#ifndef CLG_GEMM_HOST_H
#define CLG_GEMM_HOST_H

#include "gemm/plan.h"
#include "program/programs.h"

/* The matrices in the problem's own order (after the swap of row-major calls). */
struct clg_host_matrices {
    const float *a, *b;
    float *c;
};

/* Runs the problem and blocks until C is written. *plan is what was run. Elements of C that lie
 * between its columns are not touched; on failure before the copy back, C is as it was. */
clgemm_status clg_host_gemm(struct clg_programs *programs, const struct clg_problem *problem,
                            const struct clg_host_matrices *host, struct clg_plan *plan);

#endif
