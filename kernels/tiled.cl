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
 *  |        |  |     |      |             sums in registers: quads of FRAG_M rows, WG_M * FRAG_M
 *  |  A     |  |  C  |      |             apart, by quads of FRAG_N columns, so that neighbours
 *  |--+--+--|  |-----+------|             read and write neighbouring quads.
 *  |  |::|  |  |     |######| TILE_M
 *  +--+--+--+  +-----+------+
 *     TILE_K
 *
 * With STAGES = 2 the next tiles are on their way from global memory to registers while this one
 * is multiplied, then go to the other local buffer: one barrier a step. Groups visit BAND_M tiles along m before the next along n, so that
 * what runs at one time shares rows of A and columns of B in the cache.
 *
 * Reading: X_ALONG_K says that consecutive elements of the stored X run along k (A transposed, B
 * not). VEC_X is the vector width that X's alignment allows. EDGE_X: tiles may reach past X, where
 * zeros stand in. EDGE_C: tiles may reach past C. VEC_C: the vector width for C. */
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
#ifndef PAD_LOCAL
#define PAD_LOCAL 0
#endif
#ifndef A_ALONG_K
#define A_ALONG_K 0
#define B_ALONG_K 1
#define EDGE_A 1
#define EDGE_B 1
#define EDGE_C 1
#define VEC_C 1
#endif

#define GROUP_SIZE (WG_M * WG_N)
#define REG_M (TILE_M / WG_M)
#define REG_N (TILE_N / WG_N)
#define FRAG_OF(reg) ((reg) % 4 == 0 ? 4 : (reg) % 2 == 0 ? 2 : 1)
#define FRAG_M FRAG_OF(REG_M)
#define FRAG_N FRAG_OF(REG_N)
#define PITCH_A (TILE_M + PAD_LOCAL)
#define PITCH_B (TILE_N + PAD_LOCAL)
#define SHARE_A (TILE_M * TILE_K / GROUP_SIZE)
#define SHARE_B (TILE_N * TILE_K / GROUP_SIZE)
#define STORE_C (VEC_C < FRAG_M ? VEC_C : FRAG_M)

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

/* Where vector `v` of a tile starts inside it: .x along outer, .y along k. */
static int2 tile_place(const int v, const int along_k, const int vec, const int tile_outer) {
    if (along_k)
        return (int2)(v / (TILE_K / vec), v % (TILE_K / vec) * vec);
    return (int2)(v % (tile_outer / vec) * vec, v / (tile_outer / vec));
}

/* Brings this work-item's share of the tile at (outer0, k0) from global memory to registers. */
static void load_tile(float *share, const __global float *x, const long ld, const int outer,
                      const int depth, const int outer0, const int k0, const int along_k,
                      const int edge, const int vec, const int tile_outer) {
    const int loads = tile_outer * TILE_K / GROUP_SIZE / vec;
#pragma unroll
    for (int l = 0; l < loads; l++) {
        const int2 place =
            tile_place((int)get_local_id(0) + l * GROUP_SIZE, along_k, vec, tile_outer);
        const int o = outer0 + place.x, p = k0 + place.y;
        const __global float *from = x + (along_k ? p + o * ld : o + p * ld);
        const int left = along_k ? (o < outer ? depth - p : 0) : (p < depth ? outer - o : 0);
        if (!edge || left >= vec)
            read_global(share + l * vec, from, vec);
        else
            for (int e = 0; e < vec; e++)
                share[l * vec + e] = e < left ? from[e] : 0.0f;
    }
}

/* Puts the share into the local tile, turned so that k is the slow index. */
static void store_tile(__local float *tile, const float *share, const int along_k, const int vec,
                       const int tile_outer, const int pitch) {
    const int loads = tile_outer * TILE_K / GROUP_SIZE / vec;
#pragma unroll
    for (int l = 0; l < loads; l++) {
        const int2 place =
            tile_place((int)get_local_id(0) + l * GROUP_SIZE, along_k, vec, tile_outer);
        if (along_k)
            for (int e = 0; e < vec; e++)
                tile[(place.y + e) * pitch + place.x] = share[l * vec + e];
        else
            write_local(tile + place.y * pitch + place.x, share + l * vec, vec);
    }
}

/* Brings this work-item's elements of one k from a local tile to registers. */
static void load_fragment(float *fragment, const __local float *row, const int reg, const int frag,
                          const int place, const int places) {
#pragma unroll
    for (int i = 0; i < reg; i += frag)
        read_local(fragment + i, row + i * places + place * frag, frag);
}

static void multiply_add(float sum[REG_N][REG_M], const __local float *tile_a,
                         const __local float *tile_b, const int at_m, const int at_n) {
#pragma unroll UNROLL_K
    for (int p = 0; p < TILE_K; p++) {
        float a[REG_M], b[REG_N];
        load_fragment(a, tile_a + p * PITCH_A, REG_M, FRAG_M, at_m, WG_M);
        load_fragment(b, tile_b + p * PITCH_B, REG_N, FRAG_N, at_n, WG_N);
#pragma unroll
        for (int j = 0; j < REG_N; j++)
#pragma unroll
            for (int i = 0; i < REG_M; i++)
                sum[j][i] += a[i] * b[j];
    }
}

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

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void
clg_tiled(const int m, const int n, const int k, const float alpha, const float beta,
          const __global float *restrict a, const long a_offset, const long lda, const int a_outer,
          const int a_depth, const __global float *restrict b, const long b_offset, const long ldb,
          const int b_outer, const int b_depth, __global float *c, const long c_offset,
          const long ldc) {
    __local float tile_a[STAGES][TILE_K * PITCH_A] __attribute__((aligned(16)));
    __local float tile_b[STAGES][TILE_K * PITCH_B] __attribute__((aligned(16)));
    float share_a[SHARE_A], share_b[SHARE_B], sum[REG_N][REG_M];

    const int tiles_m = (m + TILE_M - 1) / TILE_M, tiles_n = (n + TILE_N - 1) / TILE_N;
    const int band = (int)get_group_id(0) / (BAND_M * tiles_n);
    const int in_band = (int)get_group_id(0) - band * (BAND_M * tiles_n);
    const int height = min(tiles_m - band * BAND_M, BAND_M);
    const int row0 = (band * BAND_M + in_band % height) * TILE_M;
    const int col0 = in_band / height * TILE_N;
    const int at_m = (int)get_local_id(0) % WG_M, at_n = (int)get_local_id(0) / WG_M;

#define LOAD_TILES(k0)                                                                             \
    load_tile(share_a, a + a_offset, lda, a_outer, a_depth, row0, k0, A_ALONG_K, EDGE_A, VEC_A,    \
              TILE_M);                                                                             \
    load_tile(share_b, b + b_offset, ldb, b_outer, b_depth, col0, k0, B_ALONG_K, EDGE_B, VEC_B,    \
              TILE_N)
#define STORE_TILES(stage)                                                                         \
    store_tile(tile_a[stage], share_a, A_ALONG_K, VEC_A, TILE_M, PITCH_A);                         \
    store_tile(tile_b[stage], share_b, B_ALONG_K, VEC_B, TILE_N, PITCH_B)

#pragma unroll
    for (int j = 0; j < REG_N; j++)
#pragma unroll
        for (int i = 0; i < REG_M; i++)
            sum[j][i] = 0.0f;

    int stage = 0;
    LOAD_TILES(0);
    STORE_TILES(stage);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k0 = 0; k0 < k; k0 += TILE_K) {
        const int more = k0 + TILE_K < k;
        if (more) {
            LOAD_TILES(k0 + TILE_K);
        }
        multiply_add(sum, tile_a[stage], tile_b[stage], at_m, at_n);
        if (STAGES == 1)
            barrier(CLK_LOCAL_MEM_FENCE);
        stage = (stage + 1) % STAGES;
        if (more) {
            STORE_TILES(stage);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    store_c(c + c_offset, ldc, sum, alpha, beta, m, n, row0 + at_m * FRAG_M, col0 + at_n * FRAG_N);
}
