/* SPDX-License-Identifier: Apache-2.0
 * A multiplication of matrices in host memory, by one of three ways of access:
 *
 *   pointer  the device's kernels read and write the host's memory through its own pointers
 *   buffer   the same through buffers over that memory; what cannot be there is copied
 *   copy     the matrices go into buffers of the device's own, and C back */
#ifndef CLG_RUN_HOST_H
#define CLG_RUN_HOST_H

#include "run/engine.h"
#include "run/host_matrices.h"

/* Runs the problem, whose alignments are those of the host's matrices, and blocks until C is
 * written. *plan is what was run, of several blocks (run/host_blocks.h) the last. No memory but
 * the matrices' elements is written, and on failure no command uses them any more; C is then as it
 * was, or right, or has some of its blocks. */
clgemm_status clg_host_gemm(struct clg_engine *engine, const struct clg_problem *problem,
                            const struct clg_scalars *scalars, const struct clg_host_matrices *host,
                            struct clg_plan *plan);

/* The same by that access, which the device must be able to give: every device can CLG_HOST_BUFFER
 * and CLG_HOST_COPY. */
clgemm_status clg_host_gemm_by(enum clg_host_access access, struct clg_engine *engine,
                               const struct clg_problem *problem, const struct clg_scalars *scalars,
                               const struct clg_host_matrices *host, struct clg_plan *plan);

/* Chooses the plans and builds the programs that the problem takes on matrices of its alignments
 * that do not overlap. */
clgemm_status clg_host_warm(struct clg_engine *engine, const struct clg_problem *problem);

#endif
