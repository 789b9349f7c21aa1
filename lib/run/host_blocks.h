/* SPDX-License-Identifier: Apache-2.0
 * Divides a problem in host memory into blocks, so that the copies of each fit in the memory that a
 * call may use. Calls no OpenCL function. */
#ifndef CLG_RUN_HOST_BLOCKS_H
#define CLG_RUN_HOST_BLOCKS_H

#include "run/host_layout.h"

/* Sides of blocks are multiples of this, so that a block's columns are aligned as the matrix's are.
 * No side is cut below it. */
enum { CLG_BLOCK_SIDE = 64 };

/* Blocks of m x n elements of C, each the sum of products of depth k, for `batch` products at a
 * time. Blocks at the ends are smaller. A single block that covers the problem may have k = 0. */
struct clg_host_blocks {
    int64_t m, n, k, batch;
};

/* The whole problem, if the copies of its matrices fit in three quarters of facts->workspace_max
 * and each copy fits in facts->max_allocation. `layout` is where its matrices are in that case.
 *
 * Otherwise blocks for which copies of all three matrices fit. A batch is halved, then the longest
 * side, until they do, because transfers per operation are fewest when the sides are equal. For
 * 16-bit elements k is not cut, because each block along k would round C. If even the smallest m
 * and n do not fit beside k, the copies exceed their share. */
struct clg_host_blocks clg_host_blocks_choose(const struct clg_problem *problem,
                                              const struct clg_host_layout *layout,
                                              const struct clg_facts *facts);

/* Whether there is only one block. */
bool clg_host_blocks_are_whole(const struct clg_host_blocks *blocks,
                               const struct clg_problem *problem);

/* The origin of a block: row i, column j, step p along k, product z. */
struct clg_host_origin {
    int64_t i, j, p, z;
};

/* The block from that origin on, as a problem of its own. beta applies only to the first steps
 * along k. */
void clg_host_block(const struct clg_host_blocks *blocks, const struct clg_problem *problem,
                    const struct clg_scalars *scalars, const struct clg_host_matrices *host,
                    struct clg_host_origin place, struct clg_problem *out,
                    struct clg_scalars *factors, struct clg_host_matrices *at);

#endif
