/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * op(A) * op(B) + beta * C as in kernels/tiled.cl, with the same arguments, but tiles
 * are copied to local memory asynchronously, past the registers, by PTX's cp.async, which NVIDIA's
 * devices have from compute capability 8.0 on.
 *
 *              stage 0     stage 1     stage 2     stage 3      STAGES tiles of A and of B
 *     time |  multiplied     ready     in flight   in flight    in local memory form a ring:
 *          |  in flight   multiplied     ready     in flight    one is multiplied, the next is
 *          v  in flight   in flight   multiplied     ready      ready, the others are in flight
 *
 * A copy moves single elements as well as vectors, so matrices whose columns are not aligned are
 * read in place as fast as others. The copies of a tile are spread over the steps along k of the
 * tile that is multiplied. (The term multistage is CUTLASS's. cuBLAS reads such matrices in the
 * same manner, with tiles of 256 x 128 x 8 in three stages.)
 *
 * If k is not a multiple of TILE_K, the first tile is the shallow one, filled up with zeros, so
 * that the loop needs no predicates. For the same reason a tile that would reach past C begins
 * earlier, and the one before it stores less. Only if C is smaller than a tile, zeros are copied
 * for what is past it.
 *
 * JOINS: if the k of a tile is cut, the last of its `slices` groups to finish adds up the slices,
 * so that no other kernel is needed. Each group leaves its sums in `parts`, in the order of its
 * work-items, and increments the tile's counter in `counters`, which is 0 before and after. The
 * slices are added up in their order, so that the result is the same each time.
 *
 * Floats are multiplied as in tiled.cl, with WG_K slices of the group, and doubles by the FP64
 * tensor cores. In local memory k is the slow index, except for doubles that run along k (KEEPS_K):
 * then a copy reads whole memory lines, where the other order would touch eight lines for as many
 * elements.
 *
 * Tunables, and A_ALONG_K ... LONG_INDEX, TRIANGLE: as in tiled.cl. VEC_X along k: 1 for floats,
 * which are transposed by the copies, or 2 with EXPAND_A; a divisor of k for doubles. RUN_A, RUN_B:
 * the number of work-items that copy neighbouring vectors. GRAIN_M, GRAIN_N: tiles begin at
 * multiples of these. SMALL_M, SMALL_N: m is less than TILE_M, n less than TILE_N.
 *
 * EXPAND_A: A is complex (CONJ_A: conjugated), and the product real: its A has a row for each part
 * of a number and two columns for each column x, the parts of x and those of i x (gemm/complex.h).
 * Only x is copied. Even steps along k multiply it as it is, odd ones multiply i x. */
#include "real.h"

#ifndef TILE_M
#define TILE_M 128
#define TILE_N 128
#define TILE_K 16
#define WG_M 16
#define WG_N 16
#define LANES_M 8
#define LANES_N 4
#define VEC_A 1
#define VEC_B 1
#define STAGES 4
#define BAND_M 8
#endif
#ifndef WG_K
#define WG_K 1
#endif
#ifndef A_ALONG_K
#define A_ALONG_K 0
#define B_ALONG_K 1
#define RUN_A 32
#define RUN_B 8
#define GRAIN_M 1
#define GRAIN_N 1
#define EDGE_C 1
#define VEC_C 1
#define JOINS 1
#endif

#ifndef JOINS
#define JOINS 0
#endif
#ifndef SMALL_M
#define SMALL_M 0
#endif
#ifndef SMALL_N
#define SMALL_N 0
#endif
#ifndef EXPAND_A
#define EXPAND_A 0
#endif
#ifndef CONJ_A
#define CONJ_A 0
#endif

#if defined(__clang__) && !defined(__NV_CL_C_VERSION)
#pragma clang diagnostic ignored "-Wunused-function"
#pragma clang diagnostic ignored "-Wunused-variable"
#pragma clang diagnostic ignored "-Wpass-failed" /* of unrolling, where functions stay calls */
#endif

#if GLUE(IS_DOUBLE_, REAL)
#define DOUBLES 1
#else
#define DOUBLES 0
#endif
#define WG_SLICE (WG_M * WG_N)
#define GROUP_SIZE (WG_SLICE * WG_K)
#define SUMS (REG_M * REG_N) /* of a work-item */
/* Rows and steps of A as they are stored: an expanded A has half of those that are not in pairs. */
#define STORED_ROWS(rows) (EXPAND_A && A_ALONG_K ? (rows) / 2 : (rows))
#define STORED_STEPS(k) (EXPAND_A && !A_ALONG_K ? (k) / 2 : (k))
#define TILE_ROWS STORED_ROWS(TILE_M)
/* Vectors of a tile that a work-item copies. */
#define SHARE_A (TILE_ROWS * STORED_STEPS(TILE_K) / VEC_A / GROUP_SIZE)
#define SHARE_B (TILE_N * TILE_K / VEC_B / GROUP_SIZE)

/* A tile in local memory: its size, and the place of an element, `outer` along m or n. */
#define PAD 4
#define KEEPS_K(along_k) (DOUBLES && (along_k))
#define SIZE(along_k, tile_outer) \
    (KEEPS_K(along_k) ? (tile_outer) * (TILE_K + PAD) : TILE_K * (tile_outer + PAD))
#define INDEX(along_k, tile_outer, outer, k) \
    (KEEPS_K(along_k) ? (outer) * (TILE_K + PAD) + (k) : (k) * (tile_outer + PAD) + (outer))
/* The same of A: parts of a number are neighbours, along k if KEEPS_K. Floats keep the space of a
 * whole tile, in which elements of C are exchanged. */
#define SIZE_A (EXPAND_A && DOUBLES ? SIZE(A_ALONG_K, TILE_M) / 2 : SIZE(A_ALONG_K, TILE_M))
#define INDEX_A(row, k)                                            \
    (!EXPAND_A            ? INDEX(A_ALONG_K, TILE_M, row, k)       \
     : KEEPS_K(A_ALONG_K) ? INDEX(A_ALONG_K, TILE_M, (row) / 2, k) \
                          : INDEX(A_ALONG_K, TILE_M, row, (k) / 2))

#include "ptx.h"
#include "triangle.h"
#include "arrival.h"
#include "left_out.h"
#include "tile_order.h"
#include "tile_inside.h"
#include "vectors.h"
#include "fragments.h"
#include "multistage_copy.h"
#if DOUBLES
#include "multistage_mma.h"
#else
#include "multistage_fma.h"
#endif

#if JOINS
#define JOIN_ARGS , const int slices, __global int *counters
/* Enough slices to hide the latency of reading one, but no more than the registers of the main loop
 * hold: with more registers fewer groups would fit a unit. */
#define SLICES_AT_ONCE (SUMS < 64 ? 64 / SUMS : 1)
#else
#define JOIN_ARGS
#endif

/* A slice consists of reals, as do the elements of all types that this kernel is used for. */
#if NARROW
#define AS_PART(address) c
#else
#define AS_PART(address) address
#endif

/* Where the tile's corner is, which is not kept in registers meanwhile. */
#if TRIANGLE
#define TILE_CORNER , (int2)(corner_of(row0, TILE_M), corner_of(col0, TILE_N))
#else
#define TILE_CORNER
#endif

/* NVIDIA's assembler honours a bound on registers only if the group's size is not declared. With a
 * bound it places the operands of a multiply-add in different banks; without one it may not
 * (docs/log). */
#if defined(REGISTERS) && HAS_PTX
__kernel void
#else
__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void
#endif
clg_multistage(const int m, const int n, const int k, const real alpha, const real beta,
               const __global element *restrict a, const long a_offset,
               const long lda BATCH_STRIDE(a), const __global element *restrict b,
               const long b_offset, const long ldb BATCH_STRIDE(b), __global element *restrict c,
               const long c_offset, const long ldc BATCH_STRIDE(c), const int whole,
               const int k_slice, __global real *parts, const long part_ld,
               const long part_stride BATCH_STRIDE(parts) TILES_ARG JOIN_ARGS BATCH_ARGS LEFT_OUT_ARGS) {
    __local real tile_a[STAGES][SIZE_A] __attribute__((aligned(16)));
    __local real tile_b[STAGES][SIZE(B_ALONG_K, TILE_N)] __attribute__((aligned(16)));

    const int tiles_m = (m + TILE_M - 1) / TILE_M, tiles_n = (n + TILE_N - 1) / TILE_N;
    const int piece = (int)GROUP_ID - whole, cut = TILES_OF_C - whole;
    const int slice = piece < 0 ? 0 : piece / cut;
    const int2 corner = tile_corner(whole + piece - slice * cut, tiles_m, tiles_n);
    const int row0 = begin_inside(corner.x, m, TILE_M, GRAIN_M);
    const int col0 = begin_inside(corner.y, n, TILE_N, GRAIN_N);
#if TRIANGLE
    const int end_m = m, end_n = n; /* of what is stored: see corner_of() */
#else
    const int end_m = end_inside(corner.x, m, TILE_M, GRAIN_M); /* of what is stored */
    const int end_n = end_inside(corner.y, n, TILE_N, GRAIN_N);
#endif
    if (IS_DONE(row0, col0))
        return;
    const int id = (int)get_local_id(0);
    const int wg_slice = WG_K > 1 ? id / WG_SLICE : 0, item = id - wg_slice * WG_SLICE;
    const int lane = item % LANES, patch = item / LANES;
    const int patch_m = patch % (WG_M / LANES_M), patch_n = patch / (WG_M / LANES_M);
    DECLARE_SUMS;

    const int k_begin = slice * k_slice;
    const int depth = piece < 0 ? k : min(k - k_begin, k_slice);
    const int tiles = (depth + TILE_K - 1) / TILE_K, shallow = depth - (tiles - 1) * TILE_K;
    const index_t ld_a = (index_t)lda, ld_b = (index_t)ldb;
    const int2 place_a = first_place(id, A_ALONG_K, VEC_A, TILE_ROWS, RUN_A);
    const int2 place_b = first_place(id, B_ALONG_K, VEC_B, TILE_N, RUN_B);
    const int row = STORED_ROWS(row0) + place_a.x, col = col0 + place_b.x;
    const int k_a = STORED_STEPS(k_begin) + place_a.y, k_b = k_begin + place_b.y;
    const int left_a = SMALL_M ? STORED_ROWS(m) - row : TILE_M, left_b = SMALL_N ? n - col : TILE_N;
    const int to_a = COPIED_TO(EXPAND_A, A_ALONG_K, TILE_ROWS, place_a.x, place_a.y);
    const int to_b = COPIED_TO(0, B_ALONG_K, TILE_N, place_b.x, place_b.y);
    const __global element *next_a =
        a + a_offset + PRODUCT_OF(a) + (A_ALONG_K ? row * lda + k_a : row + k_a * lda);
    const __global element *next_b =
        b + b_offset + PRODUCT_OF(b) + (B_ALONG_K ? col * ldb + k_b : col + k_b * ldb);

/* Copies part `p` of `parts` of the next tile; only zeros if there is no `more` tile. */
#define COPY(stage, p, parts, more)                                                           \
    copy_part(tile_a[stage] + to_a, next_a, ld_a, left_a, (more) * VEC_A * (int)sizeof(real), \
              EXPAND_A, A_ALONG_K, VEC_A, TILE_ROWS, RUN_A, SHARE_A * (p) / (parts),          \
              SHARE_A * ((p) + 1) / (parts));                                                 \
    copy_part(tile_b[stage] + to_b, next_b, ld_b, left_b, (more) * VEC_B * (int)sizeof(real), \
              0, B_ALONG_K, VEC_B, TILE_N, RUN_B, SHARE_B * (p) / (parts),                    \
              SHARE_B * ((p) + 1) / (parts))
#define END_TILE(depth)                                              \
    end_tile();                                                      \
    next_a += A_ALONG_K ? (long)(depth) : STORED_STEPS(depth) * lda; \
    next_b += B_ALONG_K ? (long)(depth) : (depth) * ldb

    copy_shallow(tile_a[0] + to_a, next_a, ld_a, left_a, STORED_STEPS(shallow), EXPAND_A, A_ALONG_K,
                 VEC_A, TILE_ROWS, RUN_A, SHARE_A);
    copy_shallow(tile_b[0] + to_b, next_b, ld_b, left_b, shallow, 0, B_ALONG_K, VEC_B, TILE_N,
                 RUN_B, SHARE_B);
    END_TILE(shallow);
#pragma unroll
    for (int s = 1; s < STAGES - 1; s++) {
        COPY(s, 0, 1, s < tiles);
        END_TILE(TILE_K);
    }
    CLEAR_SUMS;

    int stage = 0, free = STAGES - 1;
    WAIT_FOR_ALL_BUT(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    OPEN_STAGE(stage);
    LOAD_FRAGMENTS(0);
    for (int tile = 0; tile < tiles; tile++) {
        const int more = tile + STAGES - 1 < tiles;
#pragma unroll
        for (int p = 0; p < STEPS - 1; p++) {
            LOAD_FRAGMENTS(p + 1);
            if (p % COPY_EVERY == 0) {
                COPY(free, p / COPY_EVERY, STEPS / COPY_EVERY, more);
            }
            MULTIPLY(p);
        }
        if (COPY_EVERY == 1) {
            COPY(free, STEPS - 1, STEPS, more);
        }
        END_TILE(TILE_K);
        free = stage;
        stage = stage == STAGES - 1 ? 0 : stage + 1;
        WAIT_FOR_ALL_BUT(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        OPEN_STAGE(stage);
        LOAD_FRAGMENTS(STEPS);
        MULTIPLY(STEPS - 1);
    }
    WAIT_FOR_ALL_BUT(0);
    barrier(CLK_LOCAL_MEM_FENCE); /* the tiles' memory is free */
#if WG_K > 1
    ADD_WG_SLICES; /* slice 0 has the sums; the others stay for the barriers */
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

#if JOINS
    __local int arrived[1];
    const int cut_tile = piece - slice * cut;
    const int quads = SUMS / 4 * WG_SLICE; /* of a tile: vectors of four sums */
    const real one = slices > 0; /* unknown to the compiler: see write_scaled() */
    __global real4 *sums = (__global real4 *)parts + item;
    if (piece >= 0) {
        if (wg_slice == 0) {
#pragma unroll
            for (int q = 0; q < SUMS / 4; q++)
                sums[(long)piece * quads + q * WG_SLICE] =
                    one * (real4)(SUM(4 * q), SUM(4 * q + 1), SUM(4 * q + 2), SUM(4 * q + 3));
        }
        if (!comes_last(counters + cut_tile, slices, arrived))
            return;
        CLEAR_SUMS;
        for (int s = 0; s < slices; s += SLICES_AT_ONCE)
#pragma unroll
            for (int e = 0; e < SLICES_AT_ONCE * SUMS / 4; e++) {
                const int q = e % (SUMS / 4), from = s + e / (SUMS / 4);
                const long at = ((long)from * cut + cut_tile) * quads + q * WG_SLICE;
                const real4 part = wg_slice == 0 && from < slices ? sums[at] : (real4)(0);
                SUM(4 * q) += part.x;
                SUM(4 * q + 1) += part.y;
                SUM(4 * q + 2) += part.z;
                SUM(4 * q + 3) += part.w;
            }
    }
    STORE_SUMS(c + c_offset + PRODUCT_OF(c), ldc, alpha, beta);
#else
    /* A block is addressed as if it were all of C, so that only elements within C are written. */
    __global element *to = c + c_offset + PRODUCT_OF(c);
    if (piece >= 0)
        to = AS_PART(parts + PRODUCT_OF(parts) +
                     (part_stride ? slice * part_stride
                                  : (long)piece * (TILE_M * TILE_N) - row0 - col0 * part_ld));
    STORE_SUMS(to, piece < 0 ? ldc : part_ld, piece < 0 ? alpha : 1, piece < 0 ? beta : 0);
#endif
}
