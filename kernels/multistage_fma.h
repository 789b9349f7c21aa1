/* SPDX-License-Identifier: Apache-2.0
 * Floats in kernels/multistage.cl: products by fused multiply-adds, each work-item's of its own rows
 * and columns. The build puts this text in place of the #include. */
#ifndef COPY_EVERY
#define COPY_EVERY 4
#endif
#define STEPS TILE_K
#define PATCH_ROWS (LANES_M * FRAG_M) /* of C, that a SIMD group has next to one another */
#define PATCH_COLS (LANES_N * FRAG_N)
#define PATCH_PITCH (PATCH_ROWS + PAD)

#define DECLARE_SUMS                                              \
    real acc[REG_N][REG_M], fragment_a[2][REG_M], fragment_b[2][REG_N]; \
    const int at_m = patch_m * LANES_M + lane % LANES_M;          \
    const int at_n = patch_n * LANES_N + lane / LANES_M
#define CLEAR_SUMS clear_sums(acc)
#define SUM(e) acc[(e) / REG_M][(e) % REG_M]
#define LOAD_FRAGMENTS(stage, p)                                                           \
    load_fragment(fragment_a[(p) % 2], tile_a[stage], (p) % STEPS, TILE_M + PAD, 0, REG_M, \
                  FRAG_M, at_m, WG_M);                                                     \
    load_fragment(fragment_b[(p) % 2], tile_b[stage], (p) % STEPS, TILE_N + PAD, 0, REG_N, \
                  FRAG_N, at_n, WG_N)
#define MULTIPLY(p) multiply_add(acc, fragment_a[(p) % 2], fragment_b[(p) % 2])
#define STORE_SUMS(c, ldc, alpha, beta) store_sums(c, ldc, acc, alpha, beta, m, n, row0, col0, at_m, at_n, \
               tile_a[0] + patch * (PATCH_COLS * PATCH_PITCH), lane)

/* Waits for the SIMD group, or, where PTX has no say, for all. */
#if HAS_PTX
#define TOGETHER PTX("bar.warp.sync 0xffffffff;" ::: "memory")
#else
#define TOGETHER barrier(CLK_LOCAL_MEM_FENCE)
#endif

static void clear_sums(real acc[REG_N][REG_M]) {
#pragma unroll
    for (int j = 0; j < REG_N; j++)
#pragma unroll
        for (int i = 0; i < REG_M; i++)
            acc[j][i] = 0;
}

/* Writes the elements of C that this work-item computed, as far as they are in C. Where C takes no
 * vectors, the work-items of a SIMD group exchange theirs first, so that each store of theirs writes
 * neighbouring rows, not every fourth one. */
static void store_sums(__global element *c, const long ldc, real acc[REG_N][REG_M],
                       const real alpha, const real beta, const int m, const int n, const int row0,
                       const int col0, const int at_m, const int at_n, __local real *space,
                       const int lane) {
#if VEC_C > 1
    store_c(c, ldc, acc, alpha, beta, m, n, row0 + at_m * FRAG_M, col0 + at_n * FRAG_N);
#else
    const int lane_m = at_m % LANES_M, lane_n = at_n % LANES_N;
    const int row1 = row0 + (at_m - lane_m) * FRAG_M, col1 = col0 + (at_n - lane_n) * FRAG_N;
#pragma unroll
    for (int block = 0; block < REG_M / FRAG_M * (REG_N / FRAG_N); block++) {
        const int i = block % (REG_M / FRAG_M) * FRAG_M, j = block / (REG_M / FRAG_M) * FRAG_N;
        TOGETHER;
#pragma unroll
        for (int y = 0; y < FRAG_N; y++)
            write_local(space + (lane_n * FRAG_N + y) * PATCH_PITCH + lane_m * FRAG_M, acc[j + y] + i,
                        FRAG_M);
        TOGETHER;
#pragma unroll
        for (int e = 0; e < FRAG_M * FRAG_N; e++) {
            const int place = e * LANES + lane, r = place % PATCH_ROWS, q = place / PATCH_ROWS;
            const int row = row1 + i * WG_M + r, col = col1 + j * WG_N + q;
            const real sum = space[q * PATCH_PITCH + r];
            if (!EDGE_C || (row < m && col < n))
                write_c(c + row + col * ldc, &sum, alpha, beta, 1);
        }
    }
#endif
}
