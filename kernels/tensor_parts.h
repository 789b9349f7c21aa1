/* SPDX-License-Identifier: Apache-2.0
 * How an operand lies when it is packed for the tensor cores: shared by clg_tensor_pack, which
 * writes it, and the kernels that copy it into local memory as it is. Which way numbers become
 * elements of the tensor cores is the build's choice (lib/gemm/tensor/ways.c has the table):
 *
 *   PART_TYPE   F16, BF16 or TF32
 *   SPLIT     into how many elements, its parts, each float goes: 1, 2 or 3
 *   BLOCK     stages of a block of k, the unit of packing
 *   PROMOTED  1: the sums of a block are added to others in FP32, outside the tensor cores
 *   SCALE_TO  the largest magnitude of a row's block is brought to 2^SCALE_TO ... by a power of two,
 *             which is kept beside the parts; unset: there are no scales
 *   LEAST     what is not 0 but below it then cannot be held; unset: anything can
 *
 * A tile of TILE rows of op(A) (columns of op(B)) is, for each stage of k, one piece of SPLIT x TILE
 * x ROW_BYTES bytes, so that one bulk copy brings it:
 *
 *   [tile][stage of k][part][row of the tile][ROW_BYTES]     zero past the matrix's ends
 *
 * ROW_BYTES are 64, or 128 where there is one part: chunks of 16 bytes, whose number is xor-ed with
 * bits 1 and 2 of the row, or with bits 0 to 2: the swizzles of 64 and of 128 bytes of PTX's shared
 * memory matrix descriptors, by which eight rows of a chunk lie in different banks. Behind all tiles lie the scales: [block of k][row]. */
#define F16 1
#define BF16 2
#define TF32 3

#ifndef PART_TYPE
#define PART_TYPE F16
#define SPLIT 2
#define BLOCK 4
#define PROMOTED 1
#define SCALE_TO 14
#endif

#define ROW_BYTES (SPLIT == 1 ? 128 : 64)
#define SWIZZLED(chunk, row) ((chunk) ^ (SPLIT == 1 ? (row) & 7 : (row) >> 1 & 3))
#define PART_BYTES (PART_TYPE == TF32 ? 4 : 2)
#define STAGE_K (ROW_BYTES / PART_BYTES)
#define BLOCK_K (BLOCK * STAGE_K)

/* Bytes of a tile's stage. */
#define STAGE_BYTES(tile) (SPLIT * (tile)*ROW_BYTES)

#define SCALES(packed, tile, tiles, stages) \
    ((__global float *)((packed) + (long)(tiles) * (stages)*STAGE_BYTES(tile)))

/* The products of parts that count, as add(left part, right part, whether it continues the sums), small
 * ones first: so fewer low bits are cut off where the sum is large. */
#if SPLIT == 1
#define ADD_PRODUCTS(add, continues) add(0, 0, continues)
#elif SPLIT == 2
#define ADD_PRODUCTS(add, continues) \
    add(1, 0, continues);            \
    add(0, 1, 1);                    \
    add(0, 0, 1)
#else
#define ADD_PRODUCTS(add, continues) \
    add(2, 0, continues);            \
    add(0, 2, 1);                    \
    add(1, 1, 1);                    \
    add(1, 0, 1);                    \
    add(0, 1, 1);                    \
    add(0, 0, 1)
#endif

#ifdef SCALE_TO
/* x times the scales of its row and column, the larger first: what is then lost below the least
 * float is lost for good. */
static inline float scale_back(const float x, const float row, const float column) {
    return x * fmax(row, column) * fmin(row, column);
}
#endif
