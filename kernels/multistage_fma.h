/* SPDX-License-Identifier: Apache-2.0
 * Floats in kernels/multistage.cl: each work-item multiplies its own rows and columns by fused
 * multiply-adds. The build puts this text in place of the #include. */
#ifndef COPY_EVERY
#define COPY_EVERY 4
#endif
#define STEPS (TILE_K / WG_K) /* of a slice of the group */
#define PATCH_ROWS (LANES_M * FRAG_M) /* neighbouring rows of C in a SIMD group */
#define PATCH_COLS (LANES_N * FRAG_N)
#define PATCH_PITCH (PATCH_ROWS + PAD)
#define RUNS (PATCH_ROWS < LANES ? 1 : PATCH_ROWS / LANES) /* SIMD groups in a patch's column */
/* From the first element that a work-item stores to element e. */
#define ROW_STEP(e) ((e) % RUNS * LANES)
#define COL_STEP(e) ((e) / RUNS * (PATCH_ROWS < LANES ? LANES / PATCH_ROWS : 1))

#define DECLARE_SUMS                                                            \
    real acc[REG_N][REG_M], fragment_a[2][REG_M], fragment_b[2][REG_N];         \
    const int at_m = patch_m * LANES_M + lane % LANES_M;                        \
    const int at_n = patch_n * LANES_N + lane / LANES_M;                        \
    const int row_k = wg_slice * STEPS; /* row of a tile where the slice begins */ \
    const __local real *from_a, *from_b
#define CLEAR_SUMS clear_sums(acc)
#define SUM(e) acc[(e) / REG_M][(e) % REG_M]
/* The start of this work-item's fragments in a stage is computed once, and hidden from the
 * compiler, which would otherwise keep an address for each step; the offsets are then in the
 * instructions. Which tiles gain was measured (docs/log): not those with 80 to 112 sums for each
 * work-item, three groups of which just fit a unit's registers. */
#if SUMS > 32 ? SUMS <= 64 || SUMS > 112 : TILE_M * TILE_N >= 4096 && !JOINS
#define OPEN_STAGE(stage)                                                             \
    from_a = tile_a[stage] + row_k / (1 + EXPAND_A) * (TILE_M + PAD) + at_m * FRAG_M; \
    from_b = tile_b[stage] + row_k * (TILE_N + PAD) + at_n * FRAG_N;                  \
    KEEP_PLACES
#if SUMS > 32
#define KEEP_PLACES PTX("" : "+l"(from_a), "+l"(from_b))
#else
#define KEEP_PLACES PTX("" : "+l"(from_a))
#endif
#define FIRST_ROW 0
#define FIRST_M 0
#define FIRST_N 0
#else
#define OPEN_STAGE(stage)   \
    from_a = tile_a[stage]; \
    from_b = tile_b[stage]
#define FIRST_ROW row_k
#define FIRST_M at_m
#define FIRST_N at_n
#endif
/* With EXPAND_A a tile's even steps come first, then its odd ones, which multiply i times the
 * numbers. Else ptxas mixes products of the two steps that need the same elements of A, and few
 * share an operand with the one before (docs/log). */
#define IS_ODD(p) (EXPAND_A && (p) % STEPS >= STEPS / 2)
#define ROW_A(p) (EXPAND_A ? (p) % (STEPS / 2) : (p) % STEPS)
#define ROW_B(p) (EXPAND_A ? (p) % (STEPS / 2) * 2 + IS_ODD(p) : (p) % STEPS)
#define LOAD_FRAGMENTS(p)                                                                    \
    load_fragment(fragment_a[(p) % 2], from_a, FIRST_ROW / (1 + EXPAND_A) + ROW_A(p),        \
                  TILE_M + PAD, 0, REG_M, FRAG_M, FIRST_M, WG_M);                            \
    load_fragment(fragment_b[(p) % 2], from_b, FIRST_ROW + ROW_B(p), TILE_N + PAD, 0, REG_N, \
                  FRAG_N, FIRST_N, WG_N);                                                    \
    if (EXPAND_A)                                                                            \
        expand(fragment_a[(p) % 2], IS_ODD(p))
#define MULTIPLY(p) multiply_add(acc, fragment_a[(p) % 2], fragment_b[(p) % 2])
#define SPACE (TILE_M >= TILE_N ? tile_a[0] : tile_b[0]) /* when the tiles are no longer needed */
#define ADD_WG_SLICES add_wg_slices(acc, SPACE, item, wg_slice)
#define STORE_SUMS(c, ldc, alpha, beta)                                                           \
    store_sums(c, ldc, acc, alpha, beta, wg_slice > 0 ? 0 : end_m, end_n, row0, col0, at_m, at_n, \
               SPACE + id / LANES * (PATCH_COLS * PATCH_PITCH), lane TILE_CORNER)

/* Waits for the SIMD group, or without PTX for the work-group. */
#if HAS_PTX
#define TOGETHER PTX("bar.warp.sync 0xffffffff;" ::: "memory")
#else
#define TOGETHER barrier(CLK_LOCAL_MEM_FENCE)
#endif

/* Makes a work-item's rows of A, which are parts of numbers, those of i times the numbers if `odd`.
 * The multiply-adds take in the signs. */
static void expand(real x[REG_M], const int odd) {
#pragma unroll
    for (int i = 0; i + 1 < REG_M; i += 2) {
        const real re = x[i], im = CONJ_A ? -x[i + 1] : x[i + 1];
        x[i] = odd ? -im : re;
        x[i + 1] = odd ? re : im;
    }
}

static void clear_sums(real acc[REG_N][REG_M]) {
#pragma unroll
    for (int j = 0; j < REG_N; j++)
#pragma unroll
        for (int i = 0; i < REG_M; i++)
            acc[j][i] = 0;
}

#define BLOCK (FRAG_M * FRAG_N) /* elements of a patch that a work-item stores */
#if TRIANGLE
#define IS_OF_C(e)                                                                         \
    (is_of_tile(row + ROW_STEP(e), 1, col + COL_STEP(e), corner, row + rows, col + cols) && \
     IS_COMPUTED(row + ROW_STEP(e) - DIAGONAL(col + COL_STEP(e))))
#define PLACE_ARGS , const int row, const int col, const int2 corner
#define PLACE , row, col, corner
#else
#define IS_OF_C(e) ((!EDGE_C && WG_K == 1) || (ROW_STEP(e) < rows && COL_STEP(e) < cols))
#define PLACE_ARGS
#define PLACE
#endif
/* From element e of a block to the next. Advancing a pointer takes two instructions a column. It is
 * hidden from the compiler, which would compute a product for each column in six. */
#define NEXT(at, e)                                \
    at += (COL_STEP((e) + 1) - COL_STEP(e)) * ldc; \
    PTX("" : "+l"(at))

static void read_block(real block[BLOCK], const __global element *at, const long ldc, const int rows,
                       const int cols PLACE_ARGS) {
#pragma unroll
    for (int e = 0; e < BLOCK; e++) {
        block[e] = IS_OF_C(e) ? LOAD(at, ROW_STEP(e)) : 0;
        NEXT(at, e);
    }
}

static void write_block(__global element *at, const long ldc, const real block[BLOCK],
                        const int rows, const int cols PLACE_ARGS) {
#pragma unroll
    for (int e = 0; e < BLOCK; e++) {
        if (IS_OF_C(e))
            STORE(at, ROW_STEP(e), block[e]);
        NEXT(at, e);
    }
}

/* Stores alpha times the sums, never the sums themselves. A vector store needs neighbouring
 * registers. If it stored the sums, they would have neighbouring registers throughout the loop, and
 * half of all multiply-adds would have two operands in one bank of the register file (docs/log). */
static void write_scaled(__local real *to, const real *acc, const real alpha) {
    real scaled[FRAG_M];
#pragma unroll
    for (int e = 0; e < FRAG_M; e++)
        scaled[e] = alpha * acc[e];
    write_local(to, scaled, FRAG_M);
}

/* Writes the elements that this work-item computed, if they are in C; m is 0 for the group's slices
 * that have no sums. If C's columns are not aligned for vectors of a fragment's length, the
 * work-items of a SIMD group first exchange their elements, so that each of their stores writes
 * neighbouring rows instead of every fourth one or every second pair. With beta, all of a block is
 * read before any of it is written: no compiler moves a read past a write to another column of C,
 * so each read would wait for memory. */
static void store_sums(__global element *c, const long ldc, real acc[REG_N][REG_M],
                       const real alpha, const real beta, const int m, const int n, const int row0,
                       const int col0, const int at_m, const int at_n, __local real *space,
                       const int lane CORNER_ARG) {
#if VEC_C >= FRAG_M
    if (WG_K == 1 || m > 0)
        store_c(c, ldc, acc, alpha, beta, m, n, row0 + at_m * FRAG_M, col0 + at_n * FRAG_N CORNER);
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
        real old[BLOCK], block_c[BLOCK];
        if (beta != 0)
            read_block(old, at, ldc, m - row, n - col PLACE);
        TOGETHER;
#pragma unroll
        for (int y = 0; y < FRAG_N; y++)
            write_scaled(own + y * PATCH_PITCH, acc[j + y] + i, alpha);
        TOGETHER;
#pragma unroll
        for (int e = 0; e < BLOCK; e++)
            block_c[e] = theirs[COL_STEP(e) * PATCH_PITCH + ROW_STEP(e)];
        if (beta != 0)
#pragma unroll
            for (int e = 0; e < BLOCK; e++)
                block_c[e] += beta * old[e];
        write_block(at, ldc, block_c, m - row, n - col PLACE);
    }
#endif
}
