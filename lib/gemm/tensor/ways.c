/* SPDX-License-Identifier: Apache-2.0
 * How elements are split for the tensor cores: a row for each type and mode, and the sizes that
 * follow from it. */
#include <math.h>

#include "base/checked.h"
#include "gemm/tensor/tensor.h"

/* As in kernels/tensor_parts.h. */
enum { SCALE_BYTES = 4 };

static int row_bytes(const struct clg_tensor_way *way) {
    return way->split == 1 ? 128 : 64;
}

/* ACCURATE: three BF16 parts hold a float, and six of their nine products all but 2^-23 of |A||B|.
 * The largest element of a row's block is scaled to 2^40 or up to four times that. Then elements
 * below 2^-50 count as not representable, because products of two such parts could underflow.
 * NORMWISE: two FP16 parts; with the largest scaled to 2^14 or more, the loss is below 2^-25. */
#define ONE(part) "-DPART_TYPE=" #part " -DSPLIT=1 -DBLOCK=2 -DPROMOTED=0"
static const struct clg_tensor_way ways[] = {
    {CLGEMM_F32, CLGEMM_MATH_ACCURATE,
     "-DPART_TYPE=BF16 -DSPLIT=3 -DBLOCK=2 -DPROMOTED=1 -DSCALE_TO=40 -DLEAST=0x1p-50f", 2, 3, 2,
     true, 32},
    {CLGEMM_F32, CLGEMM_MATH_NORMWISE,
     "-DPART_TYPE=F16 -DSPLIT=2 -DBLOCK=4 -DPROMOTED=1 -DSCALE_TO=14", 2, 2, 4, true, 32},
    {CLGEMM_F32, CLGEMM_MATH_TF32, ONE(TF32), 4, 1, 2, false, 1},
    {CLGEMM_F32, CLGEMM_MATH_BF16, ONE(BF16), 2, 1, 2, false, 1},
    {CLGEMM_F32, CLGEMM_MATH_F16, ONE(F16), 2, 1, 2, false, 1},
    /* 16-bit storage, in any mode beyond strict: products are exact. */
    {CLGEMM_F16, CLGEMM_MATH_DEFAULT, ONE(F16), 2, 1, 2, false, 1},
    {CLGEMM_BF16, CLGEMM_MATH_DEFAULT, ONE(BF16), 2, 1, 2, false, 1},
};

const struct clg_tensor_way *clg_tensor_way(const struct clg_problem *problem) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (problem->math != CLGEMM_MATH_STRICT && ways[i].type == problem->type &&
            (ways[i].math == problem->math || ways[i].math == CLGEMM_MATH_DEFAULT))
            return &ways[i];
    return NULL;
}

int clg_tensor_stage_k(const struct clg_tensor_way *way) {
    return row_bytes(way) / way->element_bytes;
}

int clg_tensor_block_k(const struct clg_tensor_way *way) {
    return way->block * clg_tensor_stage_k(way);
}

int64_t clg_tensor_stage_bytes(const struct clg_tensor_way *way, int tile) {
    return (int64_t)way->split * tile * row_bytes(way);
}

double clg_tensor_packed_bytes(const struct clg_tensor_way *way, const struct clg_problem *problem,
                               int tile, int64_t rows) {
    const double tiles = (double)clg_ceil_div(rows, tile);
    const double blocks = (double)clg_ceil_div(problem->k, clg_tensor_block_k(way));
    return tiles * blocks *
           (double)(way->block * clg_tensor_stage_bytes(way, tile) + (int64_t)SCALE_BYTES * tile);
}

struct clg_tensor_shares clg_tensor_shares(const struct clg_tensor_way *way,
                                           const struct clg_problem *problem,
                                           const struct clg_facts *facts,
                                           const struct clg_params *p) {
    const int64_t units = facts->compute_units;
    struct clg_tensor_shares shares = {.tiles = clg_ceil_div(problem->m, p->tile_m) *
                                                clg_ceil_div(problem->n, p->tile_n) *
                                                problem->batch,
                                       .blocks = clg_ceil_div(problem->k, clg_tensor_block_k(way))};
    shares.streamed = p->sharers > 1 && shares.tiles < units;
    shares.groups = clg_least(
        units, shares.tiles * (shares.streamed ? clg_least(p->sharers, shares.blocks) : 1));
    return shares;
}

double clg_tensor_most_blocks(const struct clg_tensor_shares *shares) {
    const double all = (double)(shares->tiles * shares->blocks);
    return shares->streamed
               ? ceil(all / (double)shares->groups)
               : (double)(clg_ceil_div(shares->tiles, shares->groups) * shares->blocks);
}

int64_t clg_tensor_shared_sums(const struct clg_tensor_shares *shares, const struct clg_params *p) {
    return shares->streamed ? shares->groups * p->tile_m * p->tile_n : 0;
}
