/* SPDX-License-Identifier: Apache-2.0
 * A multiplication of matrices in host memory, by one of three ways:
 *
 *   pointer  the device's kernels read and write the host's memory through its own pointers
 *   buffer   the same through buffers over that memory; what cannot be there is copied
 *   copy     the matrices go into buffers of the device's own, and C back */
#ifndef CLG_GEMM_HOST_H
#define CLG_GEMM_HOST_H

#include "gemm/memo.h"

/* The matrices in the problem's own order (after the swap of row-major calls). */
struct clg_host_matrices {
    const float *a, *b;
    float *c;
};

/* A matrix in host memory, as an operand of a call: as aligned as its address is. */
struct clg_operand clg_host_operand(const float *matrix, int64_t ld);

/* The way that the device takes: no copies where it shares the host's memory. The first call for a
 * device may run a small kernel to find it out. */
enum clg_way clg_host_way(struct clg_memo *memo);

/* Runs the problem, whose alignments are those of the host's matrices, and blocks until C is
 * written. *plan is what was run, of several blocks (gemm/host_blocks.h) the last. No memory but
 * the matrices' elements is written, and on failure no command uses them any more; C is then as it
 * was, or right, or has some of its blocks. */
clgemm_status clg_host_gemm(struct clg_memo *memo, const struct clg_problem *problem,
                            const struct clg_host_matrices *host, struct clg_plan *plan);

/* The same by that way, which the device must be able to go: every device can go CLG_WAY_BUFFER
 * and CLG_WAY_COPY. */
clgemm_status clg_host_gemm_by(enum clg_way way, struct clg_memo *memo,
                               const struct clg_problem *problem,
                               const struct clg_host_matrices *host, struct clg_plan *plan);

#endif
