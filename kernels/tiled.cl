/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * op(A) * op(B) + beta * C with tiles in local memory and registers.
 *
 *                       n                 A work-group computes a TILE_M x TILE_N tile of C. It
 *              +-----+------+             walks along k in steps of TILE_K; each step loads a tile
 *              |     |TILE_N|             of A and one of B into local memory, both stored with k
 *           k  |  B  |::::::| TILE_K      as the slow index:
 *              |     |      |
 *              +-----+------+                 tile_a[p][i], tile_b[p][j]
 *      k
 *  +--------+  +-----+------+             Each of its WG_M x WG_N work-items keeps REG_M x REG_N
 *  |        |  |  C  |      |             accumulators in registers: groups of FRAG_M rows, WG_M *
 *  |  A     |  |  C  |      |             FRAG_M apart, by groups of FRAG_N columns, so that
 *  |--+--+--|  |-----+------|             neighbouring work-items read and write neighbouring
 *  |  |::|  |  |     |######| TILE_M      vectors.
 *  +--+--+--+  +-----+------+
 *     TILE_K
 *
 * Loads overlap with arithmetic on two levels. While the fragments of one k are multiplied, those
 * of the next are loaded from local memory (each operand has two). While one tile is multiplied,
 * the next is loaded from global memory into registers, and then stored in local memory; with
 * STAGES = 2 this goes to a second buffer, and a step needs only one barrier.
 *
 * Work-items form patches of LANES_M x LANES_N, as large as the device's SIMD groups, so that a
 * SIMD group reads few distinct elements of both tiles. Groups visit BAND_M tiles along m before
 * the next along n, so that groups that run at the same time share rows of A and columns of B in
 * the cache.
 *
 * Sliced K: with WG_K > 1 the work-group has WG_K slices of WG_M x WG_N work-items. They share the
 * tiles; each slice multiplies its part of TILE_K, and the slices' accumulators are added up at the
 * end. So a small tile of C keeps a compute unit busy without smaller register tiles, which would
 * read more of local memory for each product. (The term is CUTLASS's.)
 *
 * Split K: if there are too few tiles for the device, or the last round would leave most compute
 * units idle, the tiles from `whole` on are cut along k. Each slice of `k_slice` steps is a
 * work-group of its own, which writes to workspace. If part_stride is not 0, a slice is a whole
 * matrix like C, `part_stride` elements after the one before, and kernels/reduce.cl adds them up in
 * order. Else slices are consecutive blocks of TILE_M x TILE_N, and kernels/join.cl adds them up.
 * (Stream-K, arXiv 2301.03598, cuts all work evenly, but its groups wait for one another, and
 * OpenCL does not promise that they run together.)
 *
 * Operand placement: by default both operands are in local tiles. The tuner may choose another
 * placement from tiled_operands.h. PRIVATE_X loads X from global memory straight into the
 * fragments, past local memory; with both private there are no tiles and no barriers, and TILE_K is
 * the number of unrolled steps. With IN_PLACE there are no fragments: the products read the local
 * tiles.
 *
 * SPREAD_B: work-items of a SIMD group that multiply the same columns share their registers of B.
 * Each has one of SPREAD_B elements, and takes the others from its neighbours. Intel's compiler
 * needs no instruction for that: they become operands of the multiply-adds. So a work-item reads
 * less of local memory, and has registers for more sums. The host says how large SIMD groups are.
 *
 * Reading: X_ALONG_K means that consecutive elements of the stored X run along k (A transposed, B
 * not). Such a tile is transposed on the way to local memory: neighbouring work-items read runs of
 * eight vectors along k, and columns are swizzled so that the writes spread over the banks. VEC_X
 * is the width of the vectors in which X is read. X's alignment allows it, and so does the number
 * of rows that may be read, unless X_ALONG_K. Past the end of X along m or n its last vector is
 * read again, and nothing computed from it is stored. Past the end along k, zeros are used.
 *
 * TRIANGLE: only the tiles that meet a triangle of C are visited (triangle.h).
 *
 * EDGE_C: tiles may reach past C. VEC_C: the vector width for C, which divides m. LONG_INDEX: a
 * tile spans more elements than an int can count. */
#include "real.h"

#ifndef TILE_M
#define TILE_M 64
#define TILE_N 64
#define TILE_K 16
#define WG_M 16
#define WG_N 16
#define VEC_A 4
#define VEC_B 4
#define STAGES 2
#define BAND_M 8
#endif
#ifndef UNROLL_K
#define UNROLL_K TILE_K
#endif
#ifndef WG_K
#define WG_K 1
#endif
#ifndef PAD_LOCAL
#define PAD_LOCAL 0
#endif
#ifndef PRIVATE_A
#define PRIVATE_A 0
#endif
#ifndef PRIVATE_B
#define PRIVATE_B 0
#endif
#ifndef IN_PLACE
#define IN_PLACE 0
#endif
#ifndef LANES_M
#define LANES_M WG_M
#endif
#ifndef LANES_N
#define LANES_N 1
#endif
#ifndef A_ALONG_K
#define A_ALONG_K 0
#define B_ALONG_K 1
#define EDGE_C 1
#define VEC_C 1
#endif

#if PRIVATE_A || PRIVATE_B || IN_PLACE /* these use only some of the functions */
#pragma clang diagnostic ignored "-Wunused-function"
#pragma clang diagnostic ignored "-Wunused-variable"
#pragma clang diagnostic ignored "-Wunused-but-set-variable"
#endif

#if defined(__clang__) && !defined(__NV_CL_C_VERSION)
#pragma clang diagnostic ignored "-Wpass-failed" /* of unrolling, where functions stay calls */
#endif

#define WG_SLICE (WG_M * WG_N) /* work-items of a slice of the work-group */
#define GROUP_SIZE (WG_SLICE * WG_K)
#define DEPTH (TILE_K / WG_K) /* of a tile, for one work-item */
#define RUN (UNROLL_K + UNROLL_K % 2) /* steps that are unrolled; even, as a fragment's buffers */
#define LOOPED (RUN < DEPTH ? (DEPTH - 1) / RUN * RUN : 0) /* steps in a loop of runs */
#define PITCH_A (TILE_M + PAD_LOCAL) /* elements from one row of a local tile to the next */
#define PITCH_B (TILE_N + PAD_LOCAL)
#define SHARE_A (TILE_M * TILE_K / GROUP_SIZE) /* elements of a tile that a work-item moves */
#define SHARE_B (TILE_N * TILE_K / GROUP_SIZE)
#define SWIZZLE_A (PAD_LOCAL == 0 && A_ALONG_K && WG_M * FRAG_M % 32 == 0)
#define SWIZZLE_B (PAD_LOCAL == 0 && B_ALONG_K && WG_N * FRAG_N % 32 == 0)

#include "left_out.h"
#include "triangle.h"
#include "tile_order.h"
#include "vectors.h"
#include "fragments.h"
#include "tiled_functions.h"

/* ---- What each step of the loop does ---- */

#if PRIVATE_A || PRIVATE_B || IN_PLACE
#include "tiled_operands.h"
#else
#define DECLARE                                                                            \
    __local real tile_a[STAGES][TILE_K * PITCH_A] __attribute__((aligned(sizeof(real4)))); \
    __local real tile_b[STAGES][TILE_K * PITCH_B] __attribute__((aligned(sizeof(real4)))); \
    real share_a[SHARE_A], share_b[SHARE_B], acc[REG_N][REG_M];                            \
    real fragment_a[2][REG_M], fragment_b[2][HELD_N];
#define START
#define LOAD_TILES(tail)                                                                      \
    load_tile(share_a, next_a, (index_t)lda, m - row0, left, tail, A_ALONG_K, VEC_A, TILE_M); \
    load_tile(share_b, next_b, (index_t)ldb, n - col0, left, tail, B_ALONG_K, VEC_B, TILE_N)
#define STORE_TILES(stage)                                                            \
    store_tile(tile_a[stage], share_a, A_ALONG_K, VEC_A, TILE_M, PITCH_A, SWIZZLE_A); \
    store_tile(tile_b[stage], share_b, B_ALONG_K, VEC_B, TILE_N, PITCH_B, SWIZZLE_B)
#define WAIT barrier(CLK_LOCAL_MEM_FENCE)
#define ADVANCE
#define LOAD_FRAGMENTS(stage, p, buffer, tail)                                        \
    load_fragments(fragment_a[(buffer) % 2], fragment_b[(buffer) % 2], tile_a[stage], \
                   tile_b[stage], wg_slice *DEPTH + (p) % DEPTH, at_m, at_n)
#define MULTIPLY(stage, p, buffer) \
    multiply_add(acc, fragment_a[(buffer) % 2], fragment_b[(buffer) % 2])
#define END_TILE(stage)
#define MULTIPLY_LAST MULTIPLY(0, DEPTH - 1, DEPTH - 1)
#endif

/* A step of a tile, with the loads for the next: step `p`, with the buffers of step `number`. */
#define STEP(p, number, tail)                           \
    LOAD_FRAGMENTS(stage, (p) + 1, (number) + 1, tail); \
    MULTIPLY(stage, p, number)

/* A slice consists of reals. */
#if NARROW
#define TO_PART(address) __global real *part = piece >= 0 ? address : 0
#define PART , part
#else
#define TO_PART(address) \
    if (piece >= 0)      \
    to = address
#define PART
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void
clg_tiled(const int m, const int n, const int k, const real alpha, const real beta,
          const __global element *restrict a, const long a_offset, const long lda BATCH_STRIDE(a),
          const __global element *restrict b, const long b_offset, const long ldb BATCH_STRIDE(b),
          __global element *restrict c, const long c_offset, const long ldc BATCH_STRIDE(c),
          const int whole, const int k_slice, __global real *parts, const long part_ld,
          const long part_stride BATCH_STRIDE(parts) TILES_ARG BATCH_ARGS LEFT_OUT_ARGS) {
    DECLARE

    const int tiles_m = (m + TILE_M - 1) / TILE_M, tiles_n = (n + TILE_N - 1) / TILE_N;
    const int piece = (int)GROUP_ID - whole, cut = TILES_OF_C - whole;
    const int slice = piece < 0 ? 0 : piece / cut;
    const int2 corner = tile_corner(whole + piece - slice * cut, tiles_m, tiles_n);
    const int row0 = corner.x, col0 = corner.y;
    if (IS_DONE(row0, col0))
        return;
    const int item = (int)get_local_id(0) % WG_SLICE, wg_slice = (int)get_local_id(0) / WG_SLICE;
    const int lane = item % LANES, patch = item / LANES;
    const int at_m = patch % (WG_M / LANES_M) * LANES_M + lane % LANES_M;
    const int at_n = patch / (WG_M / LANES_M) * LANES_N + lane / LANES_M;

    const int k_begin = slice * k_slice;
    int left = piece < 0 ? k : min(k - k_begin, k_slice); /* steps of k from the next tiles on */
    const __global element *next_a =
        a + a_offset + PRODUCT_OF(a) + (A_ALONG_K ? row0 * lda + k_begin : row0 + k_begin * lda);
    const __global element *next_b =
        b + b_offset + PRODUCT_OF(b) + (B_ALONG_K ? col0 * ldb + k_begin : col0 + k_begin * ldb);

#define NEXT_TILES                                     \
    if (left >= TILE_K) {                              \
        LOAD_TILES(0);                                 \
    } else {                                           \
        LOAD_TILES(1);                                 \
    }                                                  \
    next_a += A_ALONG_K ? (long)TILE_K : TILE_K * lda; \
    next_b += B_ALONG_K ? (long)TILE_K : TILE_K * ldb
    START

#pragma unroll
    for (int j = 0; j < REG_N; j++)
#pragma unroll
        for (int i = 0; i < REG_M; i++)
            acc[j][i] = 0;

    int stage = 0;
    NEXT_TILES;
    STORE_TILES(stage);
    WAIT;
    LOAD_FRAGMENTS(stage, 0, 0, 0);
    while (left > TILE_K) {
        left -= TILE_K;
        NEXT_TILES;
#pragma unroll 1
        for (int p = 0; p < LOOPED; p += RUN)
#pragma unroll
            for (int i = 0; i < RUN; i++) {
                STEP(p + i, i, 0);
            }
#pragma unroll
        for (int p = LOOPED; p < DEPTH - 1; p++) {
            STEP(p, p, 0);
        }
        END_TILE(stage)
        if (STAGES == 1)
            WAIT;
        stage ^= STAGES - 1;
        STORE_TILES(stage);
        WAIT;
        ADVANCE
        LOAD_FRAGMENTS(stage, DEPTH, DEPTH, 0);
        MULTIPLY_LAST;
    }
#pragma unroll 1
    for (int p = 0; p < LOOPED; p += RUN)
#pragma unroll
        for (int i = 0; i < RUN; i++) {
            STEP(p + i, i, 1);
        }
#pragma unroll
    for (int p = LOOPED; p < DEPTH - 1; p++) {
        STEP(p, p, 1);
    }
    END_TILE(stage)
    MULTIPLY_LAST;
#if WG_K > 1
    add_wg_slices(acc, TILE_M >= TILE_N ? tile_a[0] : tile_b[0], item, wg_slice);
    if (wg_slice > 0)
        return;
#endif
    /* A block is addressed as if it were all of C, so that only elements within C are written. */
    __global element *to = c + c_offset + PRODUCT_OF(c);
    TO_PART(parts + PRODUCT_OF(parts) + (part_stride ? slice * part_stride
                                  : (long)piece * (TILE_M * TILE_N) - row0 - col0 * part_ld));
    store_c(to, piece < 0 ? ldc : part_ld, acc, piece < 0 ? alpha : 1, piece < 0 ? beta : 0, m, n,
            row0 + at_m * FRAG_M, col0 + at_n * FRAG_N PART CORNER);
}
