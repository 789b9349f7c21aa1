/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in host memory through buffers: over that memory, or copies. */
#ifndef CLG_HOST_BUFFERS_H
#define CLG_HOST_BUFFERS_H

#include "host/host.h"

/* ---- Where matrices are in buffers: calls no OpenCL function ---- */

struct clg_placement {
    bool used;            /* by a kernel */
    bool in_place;        /* in a buffer over host memory */
    int buffer;           /* the matrix whose buffer it is in; overlapping arrays share one */
    uintptr_t begin, end; /* in place: host memory under that buffer; else the memory spanned */
};

struct clg_host_layout {
    struct clg_problem problem; /* with the matrices as they are in their buffers */
    struct clg_placement placement[CLG_MATRICES];
};

/* The leading dimension of a copy with columns of `rows` elements, which must be less than 2^62. */
int64_t clg_host_dense_ld(clgemm_type type, int64_t rows);

/* Places the matrices: in place if `share` is true and it is possible, else in buffers of their own
 * with columns aligned for vectors. Fails with CLGEMM_STATUS_SIZE_OVERFLOW.
 *
 * A buffer in place covers no byte outside the arrays, and C is in place only if it has no gaps. A
 * runtime may keep a copy of such a buffer and write all of it back, over what other threads wrote
 * between the columns meanwhile. Matrices that overlap a copied one are copied too. */
clgemm_status clg_host_layout_make(struct clg_host_layout *out, const struct clg_problem *problem,
                                   const struct clg_host_matrices *matrices, bool share,
                                   uint64_t max_allocation);

/* ---- Blocks, for problems whose copies do not fit ---- */

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

/* ---- Calls ---- */

/* As clg_host_gemm and clg_host_warm. With `share`, matrices are used in place where possible. */
clgemm_status clg_host_by_buffers(bool share, struct clg_engine *engine,
                                  const struct clg_host_call *call);
clgemm_status clg_host_warm_buffers(bool share, struct clg_engine *engine,
                                    const struct clg_problem *problem);

#endif
