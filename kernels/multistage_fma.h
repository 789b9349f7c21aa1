/* SPDX-License-Identifier: Apache-2.0
 * Floats in kernels/multistage.cl: products by fused multiply-adds, each work-item's of its own rows
 * and columns. The build puts this text in place of the #include. */
#ifndef COPY_EVERY
#define COPY_EVERY 4
#endif
#define STEPS (TILE_K / WG_K) /* of a slice of the group */
#define PATCH_ROWS (LANES_M * FRAG_M) /* of C, that a SIMD group has next to one another */
#define PATCH_COLS (LANES_N * FRAG_N)
#define PATCH_PITCH (PATCH_ROWS + PAD)
#define RUNS (PATCH_ROWS < LANES ? 1 : PATCH_ROWS / LANES) /* of a patch's column, a SIMD group long */
#define ROW_STEP(e) ((e) % RUNS * LANES) /* of element e that a work-item stores, from its first on */
#define COL_STEP(e) ((e) / RUNS * (PATCH_ROWS < LANES ? LANES / PATCH_ROWS : 1))

#define DECLARE_SUMS                                              \
    real acc[REG_N][REG_M], fragment_a[2][REG_M], fragment_b[2][REG_N]; \
    const int at_m = patch_m * LANES_M + lane % LANES_M;          \
    const int at_n = patch_n * LANES_N + lane / LANES_M;          \
    const int row_k = wg_slice * STEPS /* of a tile, where the slice begins */
#define CLEAR_SUMS clear_sums(acc)
#define SUM(e) acc[(e) / REG_M][(e) % REG_M]
#define LOAD_FRAGMENTS(stage, p)                                                           \
    load_fragment(fragment_a[(p) % 2], tile_a[stage], row_k + (p) % STEPS, TILE_M + PAD, 0, REG_M, \
                  FRAG_M, at_m, WG_M);                                                     \
    load_fragment(fragment_b[(p) % 2], tile_b[stage], row_k + (p) % STEPS, TILE_N + PAD, 0, REG_N, \
                  FRAG_N, at_n, WG_N)
#define MULTIPLY(p) multiply_add(acc, fragment_a[(p) % 2], fragment_b[(p) % 2])
#define SPACE (TILE_M >= TILE_N ? tile_a[0] : tile_b[0]) /* once the tiles are not needed */
#define ADD_WG_SLICES add_wg_slices(acc, SPACE, item, wg_slice)
#define STORE_SUMS(c, ldc, alpha, beta)                                                           \
    store_sums(c, ldc, acc, alpha, beta, wg_slice > 0 ? 0 : m, n, row0, col0, at_m, at_n, \
               SPACE + id / LANES * (PATCH_COLS * PATCH_PITCH), lane)

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

#define IS_OF_C(row, col) ((!EDGE_C && WG_K == 1) || ((row) < m && (col) < n))

/* Writes the elements of C that this work-item computed, as far as they are in C, which has no rows for
 * the slices of the group that have no sums. Where C takes no vectors, the work-items of a SIMD group
 * exchange theirs first, so that each store of theirs writes neighbouring rows, not every fourth one. Of
 * a block all that beta counts in is read before any is written: no compiler moves a read up past a
 * write to another column of C, and each would wait for memory. */
static void store_sums(__global element *c, const long ldc, real acc[REG_N][REG_M],
                       const real alpha, const real beta, const int m, const int n, const int row0,
                       const int col0, const int at_m, const int at_n, __local real *space,
                       const int lane) {
#if VEC_C > 1
    if (WG_K == 1 || m > 0)
        store_c(c, ldc, acc, alpha, beta, m, n, row0 + at_m * FRAG_M, col0 + at_n * FRAG_N);
#else
    const int lane_m = at_m % LANES_M, lane_n = at_n % LANES_N;
    __local real *own = space + lane_n * FRAG_N * PATCH_PITCH + lane_m * FRAG_M;
    const __local real *theirs = space + lane / PATCH_ROWS * PATCH_PITCH + lane % PATCH_ROWS;
    const int row1 = row0 + (at_m - lane_m) * FRAG_M + lane % PATCH_ROWS;
    const int col1 = col0 + (at_n - lane_n) * FRAG_N + lane / PATCH_ROWS;
#pragma unroll
    for (int block = 0; block < REG_M / FRAG_M * (REG_N / FRAG_N); block++) {
        const int i = block % (REG_M / FRAG_M) * FRAG_M, j = block / (REG_M / FRAG_M) * FRAG_N;
        const int row = row1 + i * WG_M, col = col1 + j * WG_N;
        __global element *at = c + row + col * ldc;
        real old[FRAG_M * FRAG_N];
        if (beta != 0) {
#pragma unroll
            for (int e = 0; e < FRAG_M * FRAG_N; e++)
                if (IS_OF_C(row + ROW_STEP(e), col + COL_STEP(e)))
                    old[e] = LOAD(at, ROW_STEP(e) + COL_STEP(e) * ldc);
        }
        TOGETHER;
#pragma unroll
        for (int y = 0; y < FRAG_N; y++)
            write_local(own + y * PATCH_PITCH, acc[j + y] + i, FRAG_M);
        TOGETHER;
#pragma unroll
        for (int e = 0; e < FRAG_M * FRAG_N; e++) {
            const real sum = alpha * theirs[COL_STEP(e) * PATCH_PITCH + ROW_STEP(e)];
            if (IS_OF_C(row + ROW_STEP(e), col + COL_STEP(e)))
                STORE(at, ROW_STEP(e) + COL_STEP(e) * ldc, beta != 0 ? sum + beta * old[e] : sum);
        }
    }
#endif
}
