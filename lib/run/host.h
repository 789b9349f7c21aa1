/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in host memory, by one of three kinds of access:
 *
 *   pointer  kernels access host memory through host pointers
 *   buffer   kernels access host memory through buffers over it, or copies where that is impossible
 *   copy     matrices are copied to buffers of the device, and C is copied back */
#ifndef CLG_RUN_HOST_H
#define CLG_RUN_HOST_H

#include "run/engine.h"
#include "run/host_matrices.h"

/* Runs the problem, whose alignments are those of the host's matrices, and blocks until C is
 * written. *plan (NULL: not wanted) is the plan that ran; with several blocks (run/host_blocks.h),
 * that of the last. Only elements of C are written. On failure no command uses the matrices any
 * more, and C is unchanged, right, or right in some of its blocks. */
clgemm_status clg_host_gemm(struct clg_engine *engine, const struct clg_problem *problem,
                            const struct clg_scalars *scalars, const struct clg_host_matrices *host,
                            struct clg_plan *plan);

/* The same with that access, which the device must support. Every device supports CLG_HOST_BUFFER
 * and CLG_HOST_COPY. */
clgemm_status clg_host_gemm_by(enum clg_host_access access, struct clg_engine *engine,
                               const struct clg_problem *problem, const struct clg_scalars *scalars,
                               const struct clg_host_matrices *host, struct clg_plan *plan);

/* Chooses the plans and builds the programs for the problem, for matrices of its alignments that do
 * not overlap. */
clgemm_status clg_host_warm(struct clg_engine *engine, const struct clg_problem *problem);

#endif
