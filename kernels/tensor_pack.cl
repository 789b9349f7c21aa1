/* SPDX-License-Identifier: Apache-2.0
 * Packs op(A) and op(B) for the tensor cores, in one launch: floats (halves and bfloat16 are parts
 * already) are split into parts, or rounded to one, and laid out as tensor_parts.h says.
 *
 * FP16x3: x = 2^s (h + l + e) with h the half next to x / 2^s and l that next to the rest, |e| <=
 * 2^-22 |x / 2^s| or half of the least half; BF16x6: three bfloat16, which hold a float's 24 bits.
 * The splitting is that of Ootomo and Yokota, "Recovering single precision accuracy from Tensor
 * Cores" (2022), and of Henry, Tang and Heinecke, "Leveraging the bfloat16 AI datatype" (2019); the
 * scales are powers of two of a row's block of k. What the parts cannot hold becomes NaN, in sums of
 * which clg_tensor computes again without tensor cores; so do Inf and NaN themselves.
 *
 * A work-group takes SIDE rows and BLOCK_K of k: reads them with neighbouring work-items on
 * neighbouring elements, finds the rows' largest magnitudes, and writes whole kilobytes. */
#include "real.h"
#include "tensor_parts.h"

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
#define CHUNK (16 / PART_BYTES)
#define CHUNKS_EACH (ROW_BYTES / 16)

#if PART_TYPE == TF32
typedef uint part;
#else
typedef ushort part;
#endif

/* ---- A float as elements ---- */

#if PART_TYPE == F16
/* vload_half and vstore_half on a private variable are exact on any device; NVIDIA's keeps them in
 * memory, so its own instructions are used there. */
static part round_to_part(const float x) {
    part bits;
#ifdef __NV_CL_C_VERSION
    __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
#else
    vstore_half_rte(x, 0, (half *)&bits);
#endif
    return bits;
}
#if SPLIT > 1
static float value_of(const part bits) {
#ifdef __NV_CL_C_VERSION
    float x;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
#else
    return vload_half(0, (const half *)&bits);
#endif
}
#endif
#define NOT_HELD 0x7e00 /* NaN */
#elif PART_TYPE == BF16
static part round_to_part(const float x) {
    const uint bits = as_uint(x);
    const uint rounded = bits + 0x7fff + (bits >> 16 & 1);
    return (part)((isnan(x) ? bits | 0x400000 : rounded) >> 16);
}
#if SPLIT > 1
static float value_of(const part bits) {
    return as_float((uint)bits << 16);
}
#endif
#define NOT_HELD 0x7fc0
#else
/* To 10 bits behind the point, ties to even; the tensor cores do not look at the others. */
static part round_to_part(const float x) {
    const uint bits = as_uint(x);
    const uint rounded = bits + 0xfff + (bits >> 13 & 1);
    return (isnan(x) ? bits | 0x400000 : rounded) & 0xffffe000;
}
#define NOT_HELD 0x7fc00000
#endif

static void split(const float x, part parts[SPLIT]) {
    parts[0] = round_to_part(x);
#if SPLIT > 1
    float rest = x;
#pragma unroll
    for (int p = 1; p < SPLIT; p++) {
        rest -= value_of(parts[p - 1]); /* exact; NaN for Inf */
        parts[p] = round_to_part(rest);
    }
#endif
}

/* ---- Scales ---- */

#ifdef SCALE_TO
/* The power of two that, taken out of it, leaves the largest magnitude in [2^SCALE_TO, twice that),
 * or less where that power is no normal number; and its inverse. */
static float scale_of(const float largest) {
    const int exponent = (int)(as_uint(largest) >> 23) - SCALE_TO;
    return as_float((uint)max(exponent, 1) << 23);
}
static float inverse_of(const float scale) {
    return as_float((254u << 23) - as_uint(scale));
}
#endif

/* ---- One operand ---- */

/* The side of rows and the depth that is the group's: of `rows` x `depth` elements, `ld` from the one
 * to the other that does not run along consecutive elements. `tile` rows make a tile. */
static void pack(const bool along_k, const int tile, const __global element *x, const long ld,
                 const int rows, const int depth, const int group, __global uchar *packed,
                 __local uint *local_words) {
    const int item = (int)get_local_id(0), lane = item % SIDE, warp = item / SIDE;
    const int tiles = (rows + tile - 1) / tile, sides = tiles * tile / SIDE;
    const int blocks = (depth + BLOCK_K - 1) / BLOCK_K, stages = blocks * BLOCK;
    const int block = group / sides, r0 = group % sides * SIDE, k0 = block * BLOCK_K;
    float own[EACH]; /* of row `lane`, from k0 + warp * EACH */
    if (along_k) {
        __local float *square = (__local float *)local_words; /* SIDE x (BLOCK_K + 1) */
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int row = warp + WARPS * (e / (BLOCK_K / SIDE));
            const int k = lane + SIDE * (e % (BLOCK_K / SIDE));
            square[row * (BLOCK_K + 1) + k] =
                r0 + row < rows && k0 + k < depth ? LOAD(x, (r0 + row) * ld + k0 + k) : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int e = 0; e < EACH; e++)
            own[e] = square[lane * (BLOCK_K + 1) + warp * EACH + e];
        barrier(CLK_LOCAL_MEM_FENCE);
    } else {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int k = k0 + warp * EACH + e;
            own[e] = r0 + lane < rows && k < depth ? LOAD(x, r0 + lane + k * ld) : 0;
        }
    }

#ifdef SCALE_TO
    __local float *largest_of = (__local float *)local_words; /* WARPS x SIDE */
    float largest = 0;
#pragma unroll
    for (int e = 0; e < EACH; e++)
        largest = fmax(largest, isinf(own[e]) ? 0 : fabs(own[e]));
    largest_of[item] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int w = 0; w < WARPS; w++)
        largest = fmax(largest, largest_of[w * SIDE + lane]);
    barrier(CLK_LOCAL_MEM_FENCE);
    const float scale = scale_of(largest), inverse = inverse_of(scale);
    if (warp == 0)
        SCALES(packed, tile, tiles, stages)[(long)block * tiles * tile + r0 + lane] = scale;
#else
    const float inverse = 1;
#endif

    /* Chunks of the rows, as they will lie: [stage][part][row][chunk]. */
    __local uint4 *chunks = (__local uint4 *)local_words;
#pragma unroll
    for (int e = 0; e < EACH; e += CHUNK) {
        const int k = warp * EACH + e, stage = k / STAGE_K;
        const int chunk = SWIZZLED(k % STAGE_K / CHUNK, lane);
        part parts[CHUNK][SPLIT];
#pragma unroll
        for (int i = 0; i < CHUNK; i++) {
            const float scaled = own[e + i] * inverse;
            split(scaled, parts[i]);
#ifdef LEAST
            if (own[e + i] != 0 && fabs(scaled) < LEAST)
                parts[i][0] = NOT_HELD;
#endif
        }
#pragma unroll
        for (int p = 0; p < SPLIT; p++) {
#if PART_TYPE == TF32
            const uint4 words = (uint4)(parts[0][p], parts[1][p], parts[2][p], parts[3][p]);
#else
            const uint4 words = (uint4)(parts[0][p] | (uint)parts[1][p] << 16,
                                        parts[2][p] | (uint)parts[3][p] << 16,
                                        parts[4][p] | (uint)parts[5][p] << 16,
                                        parts[6][p] | (uint)parts[7][p] << 16);
#endif
            chunks[((stage * SPLIT + p) * SIDE + lane) * CHUNKS_EACH + chunk] = words;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    __global uint4 *to =
        (__global uint4 *)(packed + ((long)(r0 / tile) * stages + block * BLOCK) * STAGE_BYTES(tile) +
                           r0 % tile * ROW_BYTES);
    for (int i = item; i < BLOCK * SPLIT * SIDE * CHUNKS_EACH; i += SIDE * WARPS)
        to[i / (SIDE * CHUNKS_EACH) * (tile * CHUNKS_EACH) + i % (SIDE * CHUNKS_EACH)] = chunks[i];
}

/* Groups up to groups_a of a product pack A, the others B: m x k and k x n, packed into a_packed and
 * b_packed, whose strides are bytes. A matrix that all products of a batch share is packed by the
 * first. */
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
