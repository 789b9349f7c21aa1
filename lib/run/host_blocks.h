/* SPDX-License-Identifier: Apache-2.0
 * A host problem in blocks, such that what is copied of each fits the memory that a call may take:
 * decided without one OpenCL call. */
#ifndef CLG_RUN_HOST_BLOCKS_H
#define CLG_RUN_HOST_BLOCKS_H

#include "run/host_layout.h"

/* Sides of blocks are multiples of this, so that a block's columns are aligned as the matrix's are;
 * no side is cut below it. */
enum { CLG_BLOCK_SIDE = 64 };

/* C in blocks of m x n, each the sum of products that are k deep; of a batch, so many products at a
 * time. Blocks at the ends are smaller. One that covers the problem: k may be 0 then. */
struct clg_host_blocks {
    int64_t m, n, k, batch;
};

/* The whole problem, if what is copied of its matrices fits three quarters of facts->workspace_max,
 * and each copy facts->max_allocation; `layout` is where these lie then. Else blocks of which
 * copies of all three matrices fit: a batch is halved, then the longest side, until they do, since
 * what goes there and back for an operation is least where the sides are even. Of elements of 16
 * bits k is not cut, for each block along k would round C: where even the least m and n do not fit
 * beside it, the copies take more than their share. */
struct clg_host_blocks clg_host_blocks_choose(const struct clg_problem *problem,
                                              const struct clg_host_layout *layout,
                                              const struct clg_facts *facts);

/* Whether that is one block. */
bool clg_host_blocks_are_whole(const struct clg_host_blocks *blocks,
                               const struct clg_problem *problem);

/* Where a block begins: row i, column j, step p, product z. */
struct clg_host_origin {
    int64_t i, j, p, z;
};

/* The block from there on, as a problem of its own: beta counts in the first steps only. */
void clg_host_block(const struct clg_host_blocks *blocks, const struct clg_problem *problem,
                    const struct clg_scalars *scalars, const struct clg_host_matrices *host,
                    struct clg_host_origin place, struct clg_problem *out,
                    struct clg_scalars *factors, struct clg_host_matrices *at);

#endif
