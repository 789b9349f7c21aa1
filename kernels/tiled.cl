/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * op(A) * op(B) + beta * C with tiles in local memory and registers.
 *
 *                       n                 A work-group computes a TILE_M x TILE_N tile of C. It
 *              +-----+------+             walks along k in steps of TILE_K; each step brings a tile
 *              |     |TILE_N|             of A and one of B to local memory, both stored with k as
 *           k  |  B  |::::::| TILE_K      the slow index:
 *              |     |      |
 *              +-----+------+                 tile_a[p][i], tile_b[p][j]
 *      k
 *  +--------+  +-----+------+             Each of its WG_M x WG_N work-items keeps REG_M x REG_N
 *  |        |  |  C  |      |             sums in registers: quads of FRAG_M rows, WG_M * FRAG_M
 *  |  A     |  |  C  |      |             apart, by quads of FRAG_N columns, so that neighbours
 *  |--+--+--|  |-----+------|             read and write neighbouring quads.
 *  |  |::|  |  |     |######| TILE_M
 *  +--+--+--+  +-----+------+
 *     TILE_K
 *
 * Three things overlap: while one k is multiplied, the elements of the next one come from local
 * memory (two fragments of each operand); while one tile is, the next comes from global memory to
 * registers, and then goes to local memory, with STAGES = 2 to the other buffer: one barrier a
 * step. The order of the products within one k turns back at the end of each row (see
 * multiply_add), so that neighbours share an operand: processors with few register ports keep it.
 *
 * Work-items form patches of LANES_M x LANES_N, as large as the device's SIMD groups, so that one
 * group reads few distinct elements of both tiles. With WG_K > 1 so many sets of WG_M x WG_N
 * work-items share the tiles: each set multiplies its part of TILE_K, and their sums are added at
 * the end, so that a small tile keeps a unit busy without smaller register tiles, which read more
 * of local memory for each product. (CUTLASS calls this sliced-K.) Groups visit BAND_M tiles along
 * m before the next along n, so that what runs at one time shares rows of A and columns of B in the
 * cache.
 *
 * Where there are too few tiles for the device, or the last of them would keep a few units busy and
 * leave the rest idle, the tiles from `whole` on are cut along k: each slice of `k_slice` steps is
 * a group of its own, which writes to workspace. Slices are matrices like C, `part_stride` elements
 * apart, which kernels/reduce.cl adds up in order; or, where part_stride is 0, blocks of TILE_M x
 * TILE_N one after the other, which kernels/join.cl adds up. (Stream-K, arXiv 2301.03598, cuts all
 * work evenly, for groups that wait for one another; OpenCL does not promise that they run
 * together.)
 *
 * That is one way for A and B of several, of which the others are in tiled_ways.h. PRIVATE_X takes
 * X from global memory straight to the fragments, past local memory; with both private there are no
 * tiles and no barriers, and TILE_K is how far the loop is unrolled. IN_PLACE makes no fragments:
 * the products read the local tiles.
 *
 * Reading: X_ALONG_K says that consecutive elements of the stored X run along k (A transposed, B
 * not). Such a tile is turned on its way to local memory; neighbours take runs of eight vectors
 * along k, and columns are swapped in a pattern that spreads their writes over the banks. VEC_X is
 * the width in which X is read; X's alignment allows it, and not along k, so does the number of
 * rows that may be read. What lies past X along m or n is X's last vector again, since nothing that
 * comes of it is stored; past X along k, zeros. EDGE_C: tiles may reach past C. VEC_C: the vector
 * width for C. LONG_INDEX: a tile spans more elements than an int counts. */
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

#if PRIVATE_A || PRIVATE_B || IN_PLACE /* each way leaves words out */
#pragma clang diagnostic ignored "-Wunused-function"
#pragma clang diagnostic ignored "-Wunused-variable"
#pragma clang diagnostic ignored "-Wunused-but-set-variable"
#endif

#ifdef LONG_INDEX
typedef long index_t;
#else
typedef int index_t; /* inside a tile */
#endif

#define SET_SIZE (WG_M * WG_N)
#define GROUP_SIZE (SET_SIZE * WG_K)
#define DEPTH (TILE_K / WG_K) /* of a tile, for one work-item */
#define LANES (LANES_M * LANES_N)
#define REG_M (TILE_M / WG_M)
#define REG_N (TILE_N / WG_N)
#define FRAG_OF(reg) ((reg) % 4 == 0 ? 4 : (reg) % 2 == 0 ? 2 : 1)
#define FRAG_M FRAG_OF(REG_M)
#define FRAG_N FRAG_OF(REG_N)
#define PITCH_A (TILE_M + PAD_LOCAL)
#define PITCH_B (TILE_N + PAD_LOCAL)
#define SHARE_A (TILE_M * TILE_K / GROUP_SIZE)
#define SHARE_B (TILE_N * TILE_K / GROUP_SIZE)
#define SWAP_A (PAD_LOCAL == 0 && A_ALONG_K && WG_M * FRAG_M % 32 == 0)
#define SWAP_B (PAD_LOCAL == 0 && B_ALONG_K && WG_N * FRAG_N % 32 == 0)
#define STORE_C (VEC_C < FRAG_M ? VEC_C : FRAG_M)

#include "tile_order.h"

/* ---- Vectors of 4, 2 or 1 floats; `width` is a constant wherever these are called. ---- */

static void read_global(float *to, const __global float *from, const int width) {
    if (width == 4)
        vstore4(*(const __global float4 *)from, 0, to);
    else if (width == 2)
        vstore2(*(const __global float2 *)from, 0, to);
    else
        *to = *from;
}

static void write_global(__global float *to, const float *from, const int width) {
    if (width == 4)
        *(__global float4 *)to = vload4(0, from);
    else if (width == 2)
        *(__global float2 *)to = vload2(0, from);
    else
        *to = *from;
}

static void read_local(float *to, const __local float *from, const int width) {
    if (width == 4)
        vstore4(*(const __local float4 *)from, 0, to);
    else if (width == 2)
        vstore2(*(const __local float2 *)from, 0, to);
    else
        *to = *from;
}

static void write_local(__local float *to, const float *from, const int width) {
    if (width == 4)
        *(__local float4 *)to = vload4(0, from);
    else if (width == 2)
        *(__local float2 *)to = vload2(0, from);
    else
        *to = *from;
}

/* ---- The verbs. `outer` stands for m (A) or n (B). ---- */

/* Vectors along k that neighbours take of a tile to be turned, each of 32 / run_along_k columns. */
static int run_along_k(const int vec) {
    return TILE_K / vec < 8 ? TILE_K / vec : 8;
}

/* Where vector `v` of a tile starts inside it: .x along outer, .y along k. */
static int2 tile_place(const int v, const int along_k, const int vec, const int tile_outer) {
    const int run = run_along_k(vec), runs = TILE_K / vec / run;
    const int columns = tile_outer % (32 / run) ? 4 : 32 / run;
    const int block = v / (run * columns), in_block = v % (run * columns);
    if (along_k)
        return (int2)(block / runs * columns + in_block / run,
                      (block % runs * run + in_block % run) * vec);
    return (int2)(v % (tile_outer / vec) * vec, v / (tile_outer / vec));
}

/* What column `x` of row `p` of a turned tile is swapped with: the rows that neighbours write go to
 * different banks (of 32, a float wide). Whole quads move. */
static int swizzle(const int p, const int vec) {
    const int run = run_along_k(vec);
    return p / vec % run * (32 / run);
}

/* Brings this work-item's share of the tile at `x` from global memory to registers. From there on x
 * goes `outer` further along m or n and `depth` along k: at least a tile's depth if not `tail`. */
static void load_tile(float *share, const __global float *x, const index_t ld, const int outer,
                      const int depth, const int tail, const int along_k, const int vec,
                      const int tile_outer) {
    const int loads = tile_outer * TILE_K / GROUP_SIZE / vec;
    const int last = along_k ? outer - 1 : (outer - 1) / vec * vec;
#pragma unroll
    for (int l = 0; l < loads; l++) {
        const int2 place =
            tile_place((int)get_local_id(0) + l * GROUP_SIZE, along_k, vec, tile_outer);
        const int o = min(place.x, last), p = place.y;
        const __global float *from = x + (along_k ? p + o * ld : o + p * ld);
        if (!tail || p + (along_k ? vec : 1) <= depth)
            read_global(share + l * vec, from, vec);
        else
            for (int e = 0; e < vec; e++)
                share[l * vec + e] = along_k && p + e < depth ? from[e] : 0.0f;
    }
}

/* Puts the share into the local tile, turned so that k is the slow index. */
static void store_tile(__local float *tile, const float *share, const int along_k, const int vec,
                       const int tile_outer, const int pitch, const int swap) {
    const int loads = tile_outer * TILE_K / GROUP_SIZE / vec;
#pragma unroll
    for (int l = 0; l < loads; l++) {
        const int2 place =
            tile_place((int)get_local_id(0) + l * GROUP_SIZE, along_k, vec, tile_outer);
        if (along_k)
            for (int e = 0; e < vec; e++)
                tile[(place.y + e) * pitch + (place.x ^ (swap ? swizzle(place.y, vec) : 0))] =
                    share[l * vec + e];
        else
            write_local(tile + place.y * pitch + place.x, share + l * vec, vec);
    }
}

/* Brings this work-item's elements of row p of a local tile to registers. */
static void load_fragment(float *fragment, const __local float *tile, const int p, const int pitch,
                          const int swap, const int reg, const int frag, const int place,
                          const int places) {
    const __local float *row = tile + p * pitch + (place * frag ^ swap);
#pragma unroll
    for (int i = 0; i < reg; i += frag)
        read_local(fragment + i, row + i * places, frag);
}

static void load_fragments(float a[REG_M], float b[REG_N], const __local float *tile_a,
                           const __local float *tile_b, const int p, const int at_m,
                           const int at_n) {
    load_fragment(a, tile_a, p, PITCH_A, SWAP_A ? swizzle(p, VEC_A) : 0, REG_M, FRAG_M, at_m, WG_M);
    load_fragment(b, tile_b, p, PITCH_B, SWAP_B ? swizzle(p, VEC_B) : 0, REG_N, FRAG_N, at_n, WG_N);
}

/* Along the shorter side first, there and back, so that each product shares a factor with the one
 * before: NVIDIA's register file has two ports, and a fused multiply-add with three new operands
 * takes two cycles. Measured in docs/kernels.md. */
static void multiply_add(float sum[REG_N][REG_M], const float a[REG_M], const float b[REG_N]) {
#if REG_M <= REG_N
#pragma unroll
    for (int j = 0; j < REG_N; j++)
#pragma unroll
        for (int x = 0; x < REG_M; x++) {
            const int i = j % 2 ? REG_M - 1 - x : x;
            sum[j][i] += a[i] * b[j];
        }
#else
#pragma unroll
    for (int i = 0; i < REG_M; i++)
#pragma unroll
        for (int x = 0; x < REG_N; x++) {
            const int j = i % 2 ? REG_N - 1 - x : x;
            sum[j][i] += a[i] * b[j];
        }
#endif
}

#if WG_K > 1
/* Adds the sums of the sets, the upper half to the lower until one is left: set 0 has them all.
 * They go through local memory, FRAG_N columns at a time. */
static void add_sets(float sum[REG_N][REG_M], __local float *space, const int item, const int set) {
    for (int half_k = WG_K / 2; half_k > 0; half_k /= 2) {
        __local float *at = space + set % half_k * (SET_SIZE * FRAG_N * REG_M) + item;
#pragma unroll
        for (int j = 0; j < REG_N; j += FRAG_N) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (set / half_k == 1)
#pragma unroll
                for (int x = 0; x < FRAG_N * REG_M; x++)
                    at[x * SET_SIZE] = sum[j + x / REG_M][x % REG_M];
            barrier(CLK_LOCAL_MEM_FENCE);
            if (set < half_k)
#pragma unroll
                for (int x = 0; x < FRAG_N * REG_M; x++)
                    sum[j + x / REG_M][x % REG_M] += at[x * SET_SIZE];
        }
    }
}
#endif

/* Writes `width` rows of one column of C; beta = 0 does not read them. */
static void write_c(__global float *to, const float *sum, const float alpha, const float beta,
                    const int width) {
    float result[4];
#pragma unroll
    for (int e = 0; e < width; e++)
        result[e] = alpha * sum[e];
    if (beta != 0.0f) {
        float old[4];
        read_global(old, to, width);
#pragma unroll
        for (int e = 0; e < width; e++)
            result[e] += beta * old[e];
    }
    write_global(to, result, width);
}

static void store_c(__global float *c, const long ldc, float sum[REG_N][REG_M], const float alpha,
                    const float beta, const int m, const int n, const int row0, const int col0) {
#pragma unroll
    for (int j = 0; j < REG_N; j++) {
        const int col = col0 + j / FRAG_N * (WG_N * FRAG_N) + j % FRAG_N;
#pragma unroll
        for (int i = 0; i < REG_M; i += STORE_C) {
            const int row = row0 + i / FRAG_M * (WG_M * FRAG_M) + i % FRAG_M;
            __global float *to = c + row + col * ldc;
            if (!EDGE_C || (row + STORE_C <= m && col < n))
                write_c(to, sum[j] + i, alpha, beta, STORE_C);
            else if (col < n)
                for (int e = 0; e < STORE_C; e++)
                    if (row + e < m)
                        write_c(to + e, sum[j] + i + e, alpha, beta, 1);
        }
    }
}

/* ---- What each step of the loop does ---- */

#if PRIVATE_A || PRIVATE_B || IN_PLACE
#include "tiled_ways.h"
#else
#define DECLARE                                                                  \
    __local float tile_a[STAGES][TILE_K * PITCH_A] __attribute__((aligned(16))); \
    __local float tile_b[STAGES][TILE_K * PITCH_B] __attribute__((aligned(16))); \
    float share_a[SHARE_A], share_b[SHARE_B], sum[REG_N][REG_M];                 \
    float fragment_a[2][REG_M], fragment_b[2][REG_N];
#define START
#define LOAD_TILES(tail)                                                                      \
    load_tile(share_a, next_a, (index_t)lda, m - row0, left, tail, A_ALONG_K, VEC_A, TILE_M); \
    load_tile(share_b, next_b, (index_t)ldb, n - col0, left, tail, B_ALONG_K, VEC_B, TILE_N)
#define STORE_TILES(stage)                                                         \
    store_tile(tile_a[stage], share_a, A_ALONG_K, VEC_A, TILE_M, PITCH_A, SWAP_A); \
    store_tile(tile_b[stage], share_b, B_ALONG_K, VEC_B, TILE_N, PITCH_B, SWAP_B)
#define WAIT barrier(CLK_LOCAL_MEM_FENCE)
#define ADVANCE
#define LOAD_FRAGMENTS(stage, p, tail)                                                     \
    load_fragments(fragment_a[(p) % 2], fragment_b[(p) % 2], tile_a[stage], tile_b[stage], \
                   set *DEPTH + (p) % DEPTH, at_m, at_n)
#define MULTIPLY(stage, p) multiply_add(sum, fragment_a[(p) % 2], fragment_b[(p) % 2])
#define END_TILE(stage)
#define MULTIPLY_LAST MULTIPLY(0, DEPTH - 1)
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void
clg_tiled(const int m, const int n, const int k, const float alpha, const float beta,
          const __global float *restrict a, const long a_offset, const long lda,
          const __global float *restrict b, const long b_offset, const long ldb,
          __global float *restrict c, const long c_offset, const long ldc, const int whole,
          const int k_slice, __global float *parts, const long part_ld, const long part_stride) {
    DECLARE

    const int tiles_m = (m + TILE_M - 1) / TILE_M, tiles_n = (n + TILE_N - 1) / TILE_N;
    const int piece = (int)get_group_id(0) - whole, cut = tiles_m * tiles_n - whole;
    const int slice = piece < 0 ? 0 : piece / cut;
    const int2 corner = tile_corner(whole + piece - slice * cut, tiles_m, tiles_n);
    const int row0 = corner.x, col0 = corner.y;
    const int item = (int)get_local_id(0) % SET_SIZE, set = (int)get_local_id(0) / SET_SIZE;
    const int lane = item % LANES, patch = item / LANES;
    const int at_m = patch % (WG_M / LANES_M) * LANES_M + lane % LANES_M;
    const int at_n = patch / (WG_M / LANES_M) * LANES_N + lane / LANES_M;

    const int k_begin = slice * k_slice;
    int left = piece < 0 ? k : min(k - k_begin, k_slice); /* along k, from the next tiles on */
    const __global float *next_a =
        a + a_offset + (A_ALONG_K ? row0 * lda + k_begin : row0 + k_begin * lda);
    const __global float *next_b =
        b + b_offset + (B_ALONG_K ? col0 * ldb + k_begin : col0 + k_begin * ldb);

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
            sum[j][i] = 0.0f;

    int stage = 0;
    NEXT_TILES;
    STORE_TILES(stage);
    WAIT;
    LOAD_FRAGMENTS(stage, 0, 0);
    while (left > TILE_K) {
        left -= TILE_K;
        NEXT_TILES;
#pragma unroll UNROLL_K
        for (int p = 0; p < DEPTH - 1; p++) {
            LOAD_FRAGMENTS(stage, p + 1, 0);
            MULTIPLY(stage, p);
        }
        END_TILE(stage)
        if (STAGES == 1)
            WAIT;
        stage ^= STAGES - 1;
        STORE_TILES(stage);
        WAIT;
        ADVANCE
        LOAD_FRAGMENTS(stage, DEPTH, 0);
        MULTIPLY_LAST;
    }
#pragma unroll UNROLL_K
    for (int p = 0; p < DEPTH - 1; p++) {
        LOAD_FRAGMENTS(stage, p + 1, 1);
        MULTIPLY(stage, p);
    }
    END_TILE(stage)
    MULTIPLY_LAST;
#if WG_K > 1
    add_sets(sum, TILE_M >= TILE_N ? tile_a[0] : tile_b[0], item, set);
    if (set > 0)
        return;
#endif
    /* A block is addressed as if it were all of C, so that only what C has is written. */
    __global float *to = c + c_offset;
    if (piece >= 0)
        to = parts + (part_stride ? slice * part_stride
                                  : (long)piece * (TILE_M * TILE_N) - row0 - col0 * part_ld);
    store_c(to, piece < 0 ? ldc : part_ld, sum, piece < 0 ? alpha : 1.0f, piece < 0 ? beta : 0.0f,
            m, n, row0 + at_m * FRAG_M, col0 + at_n * FRAG_N);
}
