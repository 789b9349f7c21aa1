/* SPDX-License-Identifier: Apache-2.0
 * A host problem in blocks, such that what is copied of each fits the memory that a call may take:
 * decided without one OpenCL call. */
#ifndef CLG_GEMM_HOST_BLOCKS_H
#define CLG_GEMM_HOST_BLOCKS_H

#include "gemm/host.h"

/* Sides of blocks are multiples of this, so that a block's columns are aligned as the matrix's are;
 * no side is cut below it. */
enum { CLG_BLOCK_SIDE = 64 };

/* C in blocks of m x n, each the sum of products that are k deep. Blocks at the ends are smaller.
 * One that covers the problem: k may be 0 then. */
struct clg_host_blocks {
    int64_t m, n, k;
};

/* The whole problem, if what is copied of its matrices (see gemm/host_layout.h) fits three
 * quarters of facts->workspace_max, and each copy facts->max_allocation. Else blocks of which
 * copies of all three matrices fit: the longest side is halved until they do, since what goes there
 * and back for an operation is least where the sides are even. Fails with
 * CLGEMM_STATUS_SIZE_OVERFLOW. */
clgemm_status clg_host_blocks_choose(struct clg_host_blocks *out, const struct clg_problem *problem,
                                     const struct clg_host_matrices *host, bool share,
                                     const struct clg_facts *facts);

/* The block from row i, column j and step p on, as a problem of its own: beta counts in the first
 * steps only. */
void clg_host_block(const struct clg_host_blocks *blocks, const struct clg_problem *problem,
                    const struct clg_host_matrices *host, int64_t i, int64_t j, int64_t p,
                    struct clg_problem *out, struct clg_host_matrices *at);

#endif
