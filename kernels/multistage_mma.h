/* SPDX-License-Identifier: Apache-2.0
 * Doubles in kernels/multistage.cl: products by the tensor cores (PTX's mma.sync), which compute
 * IEEE 754's fused multiply-adds. A SIMD group has 16 x 8 blocks of C. Lane 4 g + t holds rows g
 * and g + 8, columns 2 t and 2 t + 1 of each, and for 4 steps along k (g, t) and (g + 8, t) of A
 * and (t, g) of B (PTX ISA 8.8, 9.7.14). The build puts this text in place of the #include.
 *
 * EXPAND_A: a lane's rows are all real parts or all imaginary ones, and its steps all even or all
 * odd. So it has one sign, and one place for what it reads of each number.
 *
 * MMA_M: rows of an instruction: 16, or 8 on compute capability 8.0, which has no other. */
#ifndef MMA_M
#define MMA_M 16
#endif
#define STEP 4
#ifndef COPY_EVERY
#define COPY_EVERY 1
#endif
#define STEPS (TILE_K / STEP)
#define BLOCKS_M (REG_M / 2)
#define BLOCKS_N (REG_N / 2)

#define DECLARE_SUMS                                                                              \
    real acc[BLOCKS_N][BLOCKS_M][4], fragment_a[2][BLOCKS_M][2], fragment_b[2][BLOCKS_N];         \
    const int block_m = patch_m * (LANES_M * REG_M) + lane / 4;                                   \
    const int block_n = patch_n * (LANES_N * REG_N);                                              \
    const __local real *from_a, *from_b;                                                          \
    const int odd_m = lane / 4 % 2, odd_k = lane % 2;                                             \
    const int other_m = EXPAND_A && !A_ALONG_K ? odd_k : 0;                                       \
    const int other_k = EXPAND_A && A_ALONG_K ? odd_m : 0;                                        \
    const int at_a = INDEX_A(block_m ^ other_m, lane % 4 ^ other_k);                              \
    const long sign = odd_m != odd_k && (CONJ_A ? odd_m : odd_k) ? LONG_MIN : 0;                  \
    const int at_b = INDEX(B_ALONG_K, TILE_N, block_n + lane / 4, lane % 4)
#define CLEAR_SUMS clear_sums(acc)
#define SUM(e) acc[(e) / (4 * BLOCKS_M)][(e) / 4 % BLOCKS_M][(e) % 4]
#define OPEN_STAGE(stage)          \
    from_a = tile_a[stage] + at_a; \
    from_b = tile_b[stage] + at_b
#define LOAD_FRAGMENTS(p) \
    load_blocks(fragment_a[(p) % 2], fragment_b[(p) % 2], from_a, from_b, (p) % STEPS * STEP, sign)
#define MULTIPLY(p) multiply_blocks(acc, fragment_a[(p) % 2], fragment_b[(p) % 2])
#define STORE_SUMS(c, ldc, alpha, beta) \
    store_blocks(c, ldc, acc, alpha, beta, end_m, end_n, row0 + block_m, \
                 col0 + block_n + lane % 4 * 2 TILE_CORNER)

static void clear_sums(real acc[BLOCKS_N][BLOCKS_M][4]) {
#pragma unroll
    for (int j = 0; j < BLOCKS_N; j++)
#pragma unroll
        for (int i = 0; i < BLOCKS_M; i++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                acc[j][i][e] = 0;
}

static void load_blocks(real a[BLOCKS_M][2], real b[BLOCKS_N], const __local real *tile_a,
                        const __local real *tile_b, const int k, const long sign) {
#pragma unroll
    for (int i = 0; i < 2 * BLOCKS_M; i++) {
        const real x = tile_a[INDEX_A(i * 8, k)];
        a[i / 2][i % 2] = EXPAND_A ? as_double(as_long(x) ^ sign) : x;
    }
#pragma unroll
    for (int j = 0; j < BLOCKS_N; j++)
        b[j] = tile_b[INDEX(B_ALONG_K, TILE_N, j * 8, k)];
}

/* PTX() is volatile, which keeps the order here: compilers would move all products before the
 * barrier, and then nothing would hide the loads of the next tile's first fragments. */
static void multiply_block(real c[4], const real a[2], const real b) {
#if MMA_M == 8
    PTX("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[0]), "+d"(c[1])
        : "d"(a[0]), "d"(b));
    PTX("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[2]), "+d"(c[3])
        : "d"(a[1]), "d"(b));
#else
    PTX("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6},"
        " {%0,%1,%2,%3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(b));
#endif
}

static void multiply_blocks(real acc[BLOCKS_N][BLOCKS_M][4], real a[BLOCKS_M][2],
                            const real b[BLOCKS_N]) {
#pragma unroll
    for (int j = 0; j < BLOCKS_N; j++)
#pragma unroll
        for (int i = 0; i < BLOCKS_M; i++)
            multiply_block(acc[j][i], a[i], b[j]);
}

#define COLUMN (4 * BLOCKS_M) /* elements of a column of blocks */
#define ROW(e) (row0 + (e) % COLUMN / 4 * 16 + (e) % 4 / 2 * 8) /* row of element e */
#define COL(e) (col0 + (e) / COLUMN * 8 + (e) % 2)
#if TRIANGLE
#define IS_OF_C(e) \
    (is_of_tile(ROW(e), 1, COL(e), corner, m, n) && IS_COMPUTED(ROW(e) - DIAGONAL(COL(e))))
#else
#define IS_OF_C(e) (!EDGE_C || (ROW(e) < m && COL(e) < n))
#endif

static void read_column(real old[COLUMN], const __global element *c, const long ldc, const int m,
                        const int n, const int row0, const int col0, const int j CORNER_ARG) {
#pragma unroll
    for (int e = j * COLUMN; e < (j + 1) * COLUMN; e++)
        if (IS_OF_C(e))
            old[e % COLUMN] = LOAD(c, ROW(e) + COL(e) * ldc);
}

/* Writes the elements that this work-item computed, if they are in C. With beta, C is read a column
 * of blocks ahead of the writes: no compiler moves a read past a write, so each read would wait for
 * memory. */
static void store_blocks(__global element *c, const long ldc, real acc[BLOCKS_N][BLOCKS_M][4],
                         const real alpha, const real beta, const int m, const int n,
                         const int row0, const int col0 CORNER_ARG) {
    real old[2][COLUMN];
    if (beta != 0)
        read_column(old[0], c, ldc, m, n, row0, col0, 0 CORNER);
#pragma unroll
    for (int j = 0; j < BLOCKS_N; j++) {
        if (beta != 0 && j < BLOCKS_N - 1)
            read_column(old[(j + 1) % 2], c, ldc, m, n, row0, col0, j + 1 CORNER);
#pragma unroll
        for (int e = j * COLUMN; e < (j + 1) * COLUMN; e++) {
            const real sum = alpha * SUM(e);
            if (IS_OF_C(e))
                STORE(c, ROW(e) + COL(e) * ldc,
                      beta != 0 ? sum + beta * old[j % 2][e % COLUMN] : sum);
        }
    }
}
