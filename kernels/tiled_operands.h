/* SPDX-License-Identifier: Apache-2.0
 * Operand placements of kernels/tiled.cl other than the default, for the tuner: see PRIVATE_X and
 * IN_PLACE at its head. The build puts this text in place of the #include. */

/* ---- Functions ---- */

/* Loads this work-item's elements of row p of the tile at `x` from global memory. From there on the
 * matrix has `outer` elements along m or n and, if `tail`, `depth` along k. */
static void fetch_fragment(real *fragment, const __global element *x, const index_t ld,
                           const int outer, const int p, const int depth, const int tail,
                           const int along_k, const int vec, const int reg, const int frag,
                           const int place, const int places) {
    const int width = along_k ? 1 : vec < frag ? vec : frag, last = (outer - 1) / width * width;
#pragma unroll
    for (int i = 0; i < reg; i += width) {
        const int o = min((i / frag * places + place) * frag + i % frag, last);
        if (!tail || p < depth)
            read_global(fragment + i, x + (along_k ? p + o * ld : o + p * ld), width);
        else
            for (int e = 0; e < width; e++)
                fragment[i + e] = 0;
    }
}

/* acc += row p of both local tiles, multiplied without fragments. */
static void multiply_tiles(real acc[REG_N][REG_M], const __local real *tile_a,
                           const __local real *tile_b, const int p, const int at_m,
                           const int at_n) {
    const __local real *a =
        tile_a + p * PITCH_A + (at_m * FRAG_M ^ (SWIZZLE_A ? swizzle_mask(p, VEC_A) : 0));
    const __local real *b =
        tile_b + p * PITCH_B + (at_n * FRAG_N ^ (SWIZZLE_B ? swizzle_mask(p, VEC_B) : 0));
#pragma unroll
    for (int j = 0; j < REG_N; j++)
#pragma unroll
        for (int i = 0; i < REG_M; i++)
            acc[j][i] += a[i / FRAG_M * (WG_M * FRAG_M) + i % FRAG_M] *
                         b[j / FRAG_N * (WG_N * FRAG_N) + j % FRAG_N];
}

/* ---- The steps of the kernel's loop, for each operand ---- */

/* A private operand has a pointer to the tile in global memory instead of a local tile. */
#if PRIVATE_A
#define DECLARE_A
#define START_A const __global element *private_a = next_a;
#define LOAD_A(tail)
#define STORE_A(stage)
#define ADVANCE_A private_a += A_ALONG_K ? (long)TILE_K : TILE_K * lda;
#define FRAGMENT_A(stage, p, buffer, tail)                                                         \
    fetch_fragment(fragment_a[(buffer) % 2], private_a, (index_t)lda, m - row0, (p) % DEPTH, left, \
                   tail, A_ALONG_K, VEC_A, REG_M, FRAG_M, at_m, WG_M);
#else
#define DECLARE_A                                                                          \
    __local real tile_a[STAGES][TILE_K * PITCH_A] __attribute__((aligned(sizeof(real4)))); \
    real share_a[SHARE_A];
#define START_A
#define LOAD_A(tail) \
    load_tile(share_a, next_a, (index_t)lda, m - row0, left, tail, A_ALONG_K, VEC_A, TILE_M);
#define STORE_A(stage) \
    store_tile(tile_a[stage], share_a, A_ALONG_K, VEC_A, TILE_M, PITCH_A, SWIZZLE_A);
#define ADVANCE_A
#define FRAGMENT_A(stage, p, buffer, tail)                                       \
    load_fragment(fragment_a[(buffer) % 2], tile_a[stage], (p) % DEPTH, PITCH_A, \
                  SWIZZLE_A ? swizzle_mask((p) % DEPTH, VEC_A) : 0, REG_M, FRAG_M, at_m, WG_M);
#endif

#if PRIVATE_B
#define DECLARE_B
#define START_B const __global element *private_b = next_b;
#define LOAD_B(tail)
#define STORE_B(stage)
#define ADVANCE_B private_b += B_ALONG_K ? (long)TILE_K : TILE_K * ldb;
#define FRAGMENT_B(stage, p, buffer, tail)                                                         \
    fetch_fragment(fragment_b[(buffer) % 2], private_b, (index_t)ldb, n - col0, (p) % DEPTH, left, \
                   tail, B_ALONG_K, VEC_B, REG_N, FRAG_N, at_n, WG_N);
#else
#define DECLARE_B                                                                          \
    __local real tile_b[STAGES][TILE_K * PITCH_B] __attribute__((aligned(sizeof(real4)))); \
    real share_b[SHARE_B];
#define START_B
#define LOAD_B(tail) \
    load_tile(share_b, next_b, (index_t)ldb, n - col0, left, tail, B_ALONG_K, VEC_B, TILE_N);
#define STORE_B(stage) \
    store_tile(tile_b[stage], share_b, B_ALONG_K, VEC_B, TILE_N, PITCH_B, SWIZZLE_B);
#define ADVANCE_B
#define FRAGMENT_B(stage, p, buffer, tail)                                       \
    load_fragment(fragment_b[(buffer) % 2], tile_b[stage], (p) % DEPTH, PITCH_B, \
                  SWIZZLE_B ? swizzle_mask((p) % DEPTH, VEC_B) : 0, REG_N, FRAG_N, at_n, WG_N);
#endif

/* ---- The same for both operands ---- */

#define START START_A START_B
#define LOAD_TILES(tail) LOAD_A(tail) LOAD_B(tail)
#define STORE_TILES(stage) STORE_A(stage) STORE_B(stage)
#define ADVANCE ADVANCE_A ADVANCE_B
#if PRIVATE_A && PRIVATE_B
#define WAIT
#else
#define WAIT barrier(CLK_LOCAL_MEM_FENCE)
#endif

#if IN_PLACE
#define DECLARE DECLARE_A DECLARE_B real acc[REG_N][REG_M];
#define LOAD_FRAGMENTS(stage, p, buffer, tail)
#define MULTIPLY(stage, p, buffer) \
    multiply_tiles(acc, tile_a[stage], tile_b[stage], wg_slice *DEPTH + (p), at_m, at_n)
#define END_TILE(stage) MULTIPLY(stage, DEPTH - 1, 0);
#define MULTIPLY_LAST
#else
#define DECLARE                                 \
    DECLARE_A DECLARE_B real acc[REG_N][REG_M]; \
    real fragment_a[2][REG_M], fragment_b[2][REG_N];
#define LOAD_FRAGMENTS(stage, p, buffer, tail) \
    FRAGMENT_A(stage, p, buffer, tail) FRAGMENT_B(stage, p, buffer, tail)
#define MULTIPLY(stage, p, buffer) \
    multiply_add(acc, fragment_a[(buffer) % 2], fragment_b[(buffer) % 2])
#define END_TILE(stage)
#define MULTIPLY_LAST MULTIPLY(0, DEPTH - 1, DEPTH - 1)
#endif
