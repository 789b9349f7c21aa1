/* SPDX-License-Identifier: Apache-2.0
 * What kernels/tiled.cl, multistage.cl and many.cl share: fragments and their products, the slices
 * of a work-group, and C. It follows vectors.h; the head of tiled.cl explains the macros. The build
 * puts this text in place of the #include. */

#ifdef LONG_INDEX
typedef long index_t;
#else
typedef int index_t; /* inside a tile */
#endif

#define LANES (LANES_M * LANES_N)
#define REG_M (TILE_M / WG_M)
#define REG_N (TILE_N / WG_N)
#define FRAG_OF(reg) ((reg) % 4 == 0 ? 4 : (reg) % 2 == 0 ? 2 : 1)
#define FRAG_M FRAG_OF(REG_M)
#ifdef SPREAD_B
#define FRAG_N SPREAD_B
#define HELD_N (REG_N / SPREAD_B) /* elements of B that a work-item holds, and how it finds others */
#define OF_B(b, j) intel_sub_group_shuffle(b[(j) / SPREAD_B], (j) % SPREAD_B)
#else
#ifndef FRAG_N
#define FRAG_N FRAG_OF(REG_N)
#endif
#define HELD_N REG_N
#define OF_B(b, j) b[j]
#endif
#define STORE_C (VEC_C < FRAG_M ? VEC_C : FRAG_M) /* rows of C that are written together */

/* ---- Fragments ---- */

/* Loads this work-item's elements of row p of a local tile into registers. */
static void load_fragment(real *fragment, const __local real *tile, const int p, const int pitch,
                          const int mask, const int reg, const int frag, const int place,
                          const int places) {
    const __local real *row = tile + p * pitch + (place * frag ^ mask);
#pragma unroll
    for (int i = 0; i < reg; i += frag)
        read_local(fragment + i, row + i * places, frag);
}

/* acc += a * b as an outer product, in serpentine order along the shorter side: each product shares
 * a factor with the one before. NVIDIA's register file has two ports, so a fused multiply-add with
 * three new operands takes two cycles (measured: docs/log). */
static void multiply_add(real acc[REG_N][REG_M], const real a[REG_M], const real b[HELD_N]) {
#if REG_M <= REG_N
#pragma unroll
    for (int j = 0; j < REG_N; j++)
#pragma unroll
        for (int x = 0; x < REG_M; x++) {
            const int i = j % 2 ? REG_M - 1 - x : x;
            acc[j][i] += a[i] * OF_B(b, j);
        }
#else
#pragma unroll
    for (int i = 0; i < REG_M; i++)
#pragma unroll
        for (int x = 0; x < REG_N; x++) {
            const int j = i % 2 ? REG_N - 1 - x : x;
            acc[j][i] += a[i] * OF_B(b, j);
        }
#endif
}

#if WG_K > 1
/* Adds up the accumulators of the work-group's slices: the upper half is added to the lower half
 * until slice 0 has the sums. They go through local memory, FRAG_N columns at a time. */
static void add_wg_slices(real acc[REG_N][REG_M], __local real *space, const int item,
                          const int wg_slice) {
    for (int half_k = WG_K / 2; half_k > 0; half_k /= 2) {
        __local real *at = space + wg_slice % half_k * (WG_SLICE * FRAG_N * REG_M) + item;
#pragma unroll
        for (int j = 0; j < REG_N; j += FRAG_N) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (wg_slice / half_k == 1)
#pragma unroll
                for (int x = 0; x < FRAG_N * REG_M; x++)
                    at[x * WG_SLICE] = acc[j + x / REG_M][x % REG_M];
            barrier(CLK_LOCAL_MEM_FENCE);
            if (wg_slice < half_k)
#pragma unroll
                for (int x = 0; x < FRAG_N * REG_M; x++)
                    acc[j + x / REG_M][x % REG_M] += at[x * WG_SLICE];
        }
    }
}
#endif

/* ---- C ---- */

/* Writes `width` rows of one column of C; C is not read if beta is 0. */
static void write_c(__global element *to, const real *acc, const real alpha, const real beta,
                    const int width) {
    real result[4];
#pragma unroll
    for (int e = 0; e < width; e++)
        result[e] = alpha * acc[e];
    if (beta != 0) {
        real old[4];
        read_global(old, to, width);
#pragma unroll
        for (int e = 0; e < width; e++)
            result[e] += beta * old[e];
    }
    write_global(to, result, width);
}

/* Writes them to C or to a slice. NARROW elements need a separate pointer, `parts`, for a slice of
 * reals; else reals and elements are the same type, and `c` points to either. */
#if NARROW
#define PARTS_ARG , __global real *parts
#define WRITE_C(to, from, width) \
    write_result(to, parts ? parts + ((to) - c) : 0, from, alpha, beta, width)

static void write_result(__global element *c, __global real *part, const real *acc,
                         const real alpha, const real beta, const int width) {
    if (!part)
        write_c(c, acc, alpha, beta, width);
    else if (width == 4)
        *(__global real4 *)part = vload4(0, acc);
    else if (width == 2)
        *(__global real2 *)part = vload2(0, acc);
    else
        *part = *acc;
}
#else
#define PARTS_ARG
#define WRITE_C(to, from, width) write_c(to, from, alpha, beta, width)
#endif

#if TRIANGLE
#define CORNER_ARG , const int2 corner
#define CORNER , corner
#else
#define CORNER_ARG
#define CORNER
#endif

/* Writes the elements that this work-item computed, if they are in C. C's rows, or the space for
 * them, are a multiple of VEC_C. Code for partial vectors would make programs with EDGE_C take
 * three times as long to build. */
static void store_c(__global element *c, const long ldc, real acc[REG_N][REG_M], const real alpha,
                    const real beta, const int m, const int n, const int row0,
                    const int col0 PARTS_ARG CORNER_ARG) {
#pragma unroll
    for (int j = 0; j < REG_N; j++) {
        const int col = col0 + j / FRAG_N * (WG_N * FRAG_N) + j % FRAG_N;
#pragma unroll
        for (int i = 0; i < REG_M; i += STORE_C) {
            const int row = row0 + i / FRAG_M * (WG_M * FRAG_M) + i % FRAG_M;
            __global element *to = c + row + col * ldc;
#if TRIANGLE
            if (!is_of_tile(row, STORE_C, col, corner, m, n))
                continue;
            if (ARE_ALL_COMPUTED(row - DIAGONAL(col), STORE_C, 1))
                WRITE_C(to, acc[j] + i, STORE_C);
            else
#pragma unroll
                for (int e = 0; e < STORE_C; e++)
                    if (IS_COMPUTED(row + e - DIAGONAL(col)))
                        WRITE_C(to + e, acc[j] + i + e, 1);
#else
            if (!EDGE_C || (row < m && col < n))
                WRITE_C(to, acc[j] + i, STORE_C);
#endif
        }
    }
}
