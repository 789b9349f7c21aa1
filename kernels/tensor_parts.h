/* SPDX-License-Identifier: Apache-2.0
 * How an operand lies when it is packed for the tensor cores: shared by clg_tensor_pack, which
 * writes it, and clg_tensor, which copies it into local memory as it is. Which way floats become
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
 * A tile of TILE rows of op(A) (columns of op(B)) is, for each stage of k, one piece of PARTS x TILE
 * x ROW_BYTES bytes, so that one bulk copy brings it:
 *
 *   [tile][stage of k][part][row of the tile][ROW_BYTES]     zero past the matrix's ends
 *
 * A row's 64 bytes are 4 chunks of 16 bytes, whose number is xor-ed with bits 1 and 2 of the row: the
 * 64-byte swizzle of PTX's shared memory matrix descriptors, by which eight rows of a chunk lie in
 * different banks. With one part an element, a stage holds twice the depth, its halves as parts.
 * Behind all tiles lie the scales: [block of k][row]. */
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

#define ROW_BYTES 64
#define PART_BYTES (PART_TYPE == TF32 ? 4 : 2)
#define ROW_K (ROW_BYTES / PART_BYTES) /* depth of a part's row */
#define PARTS (SPLIT == 1 ? 2 : SPLIT)
#define STAGE_K (SPLIT == 1 ? 2 * ROW_K : ROW_K)
#define BLOCK_K (BLOCK * STAGE_K)

/* Bytes of a tile's stage. */
#define STAGE_BYTES(tile) (PARTS * (tile)*ROW_BYTES)

#define SCALES(packed, tile, tiles, stages) \
    ((__global float *)((packed) + (long)(tiles) * (stages)*STAGE_BYTES(tile)))
