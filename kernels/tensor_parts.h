/* SPDX-License-Identifier: Apache-2.0
 * The layout of an operand that is packed for the tensor cores: clg_tensor_pack writes it, and
 * other kernels copy it into local memory unchanged. Build options choose how numbers become parts
 * (lib/gemm/tensor/ways.c has the table):
 *
 *   PART_TYPE  F16, BF16 or TF32
 *   SPLIT      the number of parts of each float: 1, 2 or 3
 *   BLOCK      stages of a block of k, the unit of packing
 *   PROMOTED   1: the sums of a block are added to others in FP32, outside the tensor cores
 *   SCALE_TO   with PROMOTED: the largest magnitude of a row's block is divided by a power of four,
 *              to be 2^SCALE_TO or up to four times that. The power's root is kept beside the parts
 *   LEAST      a scaled number that is below it, but not 0, is not representable. Unset: all are
 *
 * A tile of TILE rows of op(A) (columns of op(B)) is, for each stage of k, one piece of SPLIT x
 * TILE x ROW_BYTES bytes, so that one bulk copy moves it:
 *
 *   [tile][stage of k][part][row of the tile][ROW_BYTES]     zero past the matrix's ends
 *
 * ROW_BYTES are 64, or 128 with one part: chunks of 16 bytes, whose number is xor-ed with bits 1
 * and 2 of the row, or with bits 0 to 2. These are the swizzles of 64 and 128 bytes of PTX's shared
 * memory matrix descriptors, which put eight rows of a chunk into different banks. The roots of
 * scales follow all tiles: [block of k][row].
 *
 * A row's block in which a number is NaN, and one past the matrix's end, has the root NaN and parts
 * of 0, so that all sums with it are NaN. One in which a number is infinite or not representable is
 * exceptional: it has the root EXCEPTIONAL and parts of 0, and its products are added in FP32
 * (tensor_promote.h). */
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

/* The products of parts that are computed, as add(left part, right part, whether it continues the
 * sums). Small ones come first, because low bits are cut off when the sum is large. */
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

#define EXCEPTIONAL (-1.0f)

/* Floats that become one FP16 part each: one beyond its range makes sums that are not finite, which
 * are computed again. The other parts have the range of floats, and elements of 16 bits are parts. */
#define MAY_OVERFLOW (PART_TYPE == F16 && !PROMOTED && !NARROW)
