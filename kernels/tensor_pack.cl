/* SPDX-License-Identifier: Apache-2.0
 * Packs op(A) and op(B) for the tensor cores, in one launch: floats are split into parts, or
 * rounded to one (tensor_split.h), and laid out as in tensor_parts.h; FP16 and BF16 elements are
 * parts already.
 *
 * A work-group packs SIDE rows by BLOCK_K steps of k. It reads them with neighbouring work-items on
 * neighbouring elements, finds the largest magnitude of each row, and writes whole kilobytes. To
 * keep memory the bound, numbers are split in pairs, and a block inside the matrix is read without
 * checks of the matrix's ends. */
#include "real.h"
#include "tensor_parts.h"

#include "ptx.h"
#include "tensor_split.h"

#ifndef A_ALONG_K
#define A_ALONG_K 0 /* consecutive elements of A run along k */
#define B_ALONG_K 1
#endif
#ifndef TILE_M
#define TILE_M 192
#define TILE_N 128
#endif

#define SIDE 32
#define WARPS 8                /* of SIDE work-items */
#define EACH (BLOCK_K / WARPS) /* elements of a row that a work-item has */
#define WORD (4 / PART_BYTES)  /* parts in a word */
#define CHUNK (16 / PART_BYTES)
#define CHUNKS_EACH (ROW_BYTES / 16)
#define SIDES (BLOCK_K / SIDE) /* length of a row's block in SIDEs */

/* Splits numbers into words of their parts. */
static void split(uint words[SPLIT], const float *x, const float inverse) {
#if PART_TYPE == TF32
    words[0] = rounded(in_range(x[0]) * inverse);
#else
    float2 rest = (float2)(in_range(x[0]), in_range(x[1])) * inverse;
#pragma unroll
    for (int p = 0; p < SPLIT; p++)
        words[p] = take_parts(&rest);
#endif
}

/* ---- One operand ---- */

/* Reads a work-item's elements of a block; `from` is the first, and from there on the matrix has
 * `rows` x `depth`. Along k, neighbouring work-items of a warp read neighbouring elements of one
 * row, then of the row WARPS further on; else each work-item has a row, and reads consecutive k. */
static void read_block(float own[EACH], const bool along_k, const bool inside,
                       const __global element *from, const long ld, const int rows,
                       const int depth) {
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int row = along_k ? e / SIDES * WARPS : 0, k = along_k ? e % SIDES * SIDE : e;
        own[e] =
            inside || (row < rows && k < depth) ? LOAD(from, along_k ? row * ld + k : k * ld) : 0;
    }
}

/* Packs the group's SIDE rows and block of k, of a matrix of `rows` x `depth` elements with leading
 * dimension `ld`. A tile has `tile` rows. */
static void pack(const bool along_k, const uint tile, const __global element *x, const long ld,
                 const int rows, const int depth, const uint group, __global uchar *packed,
                 __local uint *local_words) {
    const int item = (int)get_local_id(0), lane = item % SIDE, warp = item / SIDE;
    const uint tiles = ((uint)rows + tile - 1) / tile, sides = tiles * (tile / SIDE);
    const int blocks = (depth + BLOCK_K - 1) / BLOCK_K, stages = blocks * BLOCK;
    const int block = (int)(group / sides), side = (int)(group % sides);
    const int r0 = side * SIDE, k0 = block * BLOCK_K;
    const bool inside = r0 + SIDE <= rows && k0 + BLOCK_K <= depth;
    float own[EACH]; /* of row `lane`, from k0 + warp * EACH on */
    if (along_k) {
        const int row = r0 + warp, first = k0 + lane;
        __local float *square = (__local float *)local_words; /* SIDE x (BLOCK_K + 1) */
        if (inside)
            read_block(own, true, true, x + row * ld + first, ld, SIDE, BLOCK_K);
        else
            read_block(own, true, false, x + row * ld + first, ld, rows - row, depth - first);
#pragma unroll
        for (int e = 0; e < EACH; e++)
            square[(warp + e / SIDES * WARPS) * (BLOCK_K + 1) + lane + e % SIDES * SIDE] = own[e];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int e = 0; e < EACH; e++)
            own[e] = square[lane * (BLOCK_K + 1) + warp * EACH + e];
        barrier(CLK_LOCAL_MEM_FENCE);
    } else {
        const int row = r0 + lane, first = k0 + warp * EACH;
        if (inside)
            read_block(own, false, true, x + row + first * ld, ld, SIDE, BLOCK_K);
        else
            read_block(own, false, false, x + row + first * ld, ld, rows - row, depth - first);
    }

#ifdef SCALE_TO
    __local struct range *ranges = (__local struct range *)local_words; /* WARPS x SIDE */
    struct range range = no_range();
#pragma unroll
    for (int e = 0; e < EACH; e++)
        range = range_with(range, own[e]);
    ranges[item] = range;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int w = 0; w < WARPS; w++)
        range = range_of_both(range, ranges[w * SIDE + lane]);
    barrier(CLK_LOCAL_MEM_FENCE);
    const float root = r0 + lane < rows ? root_of(range) : NAN, inverse = inverse_of(root);
    if (!(root > 0))
#pragma unroll
        for (int e = 0; e < EACH; e++)
            own[e] = 0;
    if (warp == 0)
        SCALES(packed, tile, tiles, stages)[(long)block * tiles * tile + r0 + lane] = root;
#else
    const float inverse = 1;
#endif

    /* Chunks of the rows in their final order: [stage][part][row][chunk]. */
    __local uint4 *chunks = (__local uint4 *)local_words;
#pragma unroll
    for (int e = 0; e < EACH; e += CHUNK) {
        const int k = warp * EACH + e, stage = k / STAGE_K;
        const int chunk = SWIZZLED(k % STAGE_K / CHUNK, lane);
        uint words[4][SPLIT];
#pragma unroll
        for (int i = 0; i < 4; i++)
            split(words[i], own + e + i * WORD, inverse);
#pragma unroll
        for (int p = 0; p < SPLIT; p++)
            chunks[((stage * SPLIT + p) * SIDE + lane) * CHUNKS_EACH + chunk] =
                (uint4)(words[0][p], words[1][p], words[2][p], words[3][p]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    __global uint4 *to =
        (__global uint4 *)(packed +
                           ((long)((uint)r0 / tile) * stages + block * BLOCK) * STAGE_BYTES(tile) +
                           (uint)r0 % tile * ROW_BYTES);
    for (int i = item; i < BLOCK * SPLIT * SIDE * CHUNKS_EACH; i += SIDE * WARPS)
        to[i / (SIDE * CHUNKS_EACH) * (tile * CHUNKS_EACH) + i % (SIDE * CHUNKS_EACH)] = chunks[i];
}

/* The first groups_a groups of a product pack A (m x k) into a_packed, the others B (k x n) into
 * b_packed; strides of these are in bytes. A matrix that all products of a batch share is packed
 * for the first product only. */
__kernel __attribute__((reqd_work_group_size(SIDE *WARPS, 1, 1))) void
clg_tensor_pack(const int m, const int n, const int k, const int groups_a,
                const __global element *restrict a, const long a_offset,
                const long lda BATCH_STRIDE(a), const __global element *restrict b,
                const long b_offset, const long ldb BATCH_STRIDE(b),
                __global uchar *restrict a_packed BATCH_STRIDE(a_packed),
                __global uchar *restrict b_packed BATCH_STRIDE(b_packed) BATCH_ARGS) {
    enum { SQUARE = SIDE * (BLOCK_K + 1), CHUNKS = BLOCK * SPLIT * SIDE * ROW_BYTES / 4 };
    __local uint words[SQUARE > CHUNKS ? SQUARE : CHUNKS] __attribute__((aligned(16)));
    const int group = (int)GROUP_ID;
#ifdef BATCH
    if (PRODUCT > 0 && (group < groups_a ? a_stride : b_stride) == 0)
        return;
#endif
    const bool is_a = group < groups_a;
    pack(is_a ? A_ALONG_K : B_ALONG_K, is_a ? TILE_M : TILE_N,
         is_a ? a + a_offset + PRODUCT_OF(a) : b + b_offset + PRODUCT_OF(b), is_a ? lda : ldb,
         is_a ? m : n, k, is_a ? group : group - groups_a,
         is_a ? a_packed + PRODUCT_OF(a_packed) : b_packed + PRODUCT_OF(b_packed), words);
}
