/* SPDX-License-Identifier: Apache-2.0
 * The functions of kernels/tiled.cl: they move tiles and fragments, multiply and add them, and
 * write C. The macros they use are explained at its head. The build puts this text in place of the
 * #include. */

/* ---- Vectors of 4, 2 or 1 elements; `width` is a constant wherever these are called. ---- */

static void read_global(real *to, const __global element *from, const int width) {
    if (width == 4)
        vstore4(LOAD_ALIGNED(4, from), 0, to);
    else if (width == 2)
        vstore2(LOAD_ALIGNED(2, from), 0, to);
    else
        *to = LOAD(from, 0);
}

static void write_global(__global element *to, const real *from, const int width) {
    if (width == 4)
        STORE_ALIGNED(4, vload4(0, from), to);
    else if (width == 2)
        STORE_ALIGNED(2, vload2(0, from), to);
    else
        STORE(to, 0, *from);
}

static void read_local(real *to, const __local real *from, const int width) {
    if (width == 4)
        vstore4(*(const __local real4 *)from, 0, to);
    else if (width == 2)
        vstore2(*(const __local real2 *)from, 0, to);
    else
        *to = *from;
}

static void write_local(__local real *to, const real *from, const int width) {
    if (width == 4)
        *(__local real4 *)to = vload4(0, from);
    else if (width == 2)
        *(__local real2 *)to = vload2(0, from);
    else
        *to = *from;
}

/* ---- Tiles and fragments. `outer` stands for m (A) or n (B). ---- */

/* How many vectors along k neighbouring work-items read of a tile that is to be transposed; they do
 * so in each of 32 / run_along_k columns. */
static int run_along_k(const int vec) {
    return TILE_K / vec < 8 ? TILE_K / vec : 8;
}

/* Where vector `v` of a tile starts in it: .x along outer, .y along k. */
static int2 tile_place(const int v, const int along_k, const int vec, const int tile_outer) {
    const int run = run_along_k(vec), runs = TILE_K / vec / run;
    const int columns = tile_outer % (32 / run) ? 4 : 32 / run;
    const int block = v / (run * columns), in_block = v % (run * columns);
    if (along_k)
        return (int2)(block / runs * columns + in_block / run,
                      (block % runs * run + in_block % run) * vec);
    return (int2)(v % (tile_outer / vec) * vec, v / (tile_outer / vec));
}

/* The swizzle of row `p` of a transposed tile: column x is stored at x ^ mask, so that the rows
 * that neighbouring work-items write go to different banks (of 32, four bytes wide). Four
 * neighbouring columns stay together. */
static int swizzle_mask(const int p, const int vec) {
    const int run = run_along_k(vec);
    return p / vec % run * (32 / run);
}

/* Loads this work-item's share of the tile at `x` from global memory into registers. The matrix has
 * `outer` more elements along m or n from there, and `depth` more along k; unless `tail`, depth is
 * at least that of a tile. */
static void load_tile(real *share, const __global element *x, const index_t ld, const int outer,
                      const int depth, const int tail, const int along_k, const int vec,
                      const int tile_outer) {
    const int loads = tile_outer * TILE_K / GROUP_SIZE / vec;
    const int last = along_k ? outer - 1 : (outer - 1) / vec * vec;
#pragma unroll
    for (int l = 0; l < loads; l++) {
        const int2 place =
            tile_place((int)get_local_id(0) + l * GROUP_SIZE, along_k, vec, tile_outer);
        const int o = min(place.x, last), p = place.y;
        const __global element *from = x + (along_k ? p + o * ld : o + p * ld);
        if (!tail || p + (along_k ? vec : 1) <= depth)
            read_global(share + l * vec, from, vec);
        else
            for (int e = 0; e < vec; e++)
                share[l * vec + e] = along_k && p + e < depth ? LOAD(from, e) : 0;
    }
}

/* Stores the share in the local tile with k as the slow index, transposed if `along_k`. */
static void store_tile(__local real *tile, const real *share, const int along_k, const int vec,
                       const int tile_outer, const int pitch, const int swizzled) {
    const int loads = tile_outer * TILE_K / GROUP_SIZE / vec;
#pragma unroll
    for (int l = 0; l < loads; l++) {
        const int2 place =
            tile_place((int)get_local_id(0) + l * GROUP_SIZE, along_k, vec, tile_outer);
        if (along_k)
            for (int e = 0; e < vec; e++)
                tile[(place.y + e) * pitch +
                     (place.x ^ (swizzled ? swizzle_mask(place.y, vec) : 0))] = share[l * vec + e];
        else
            write_local(tile + place.y * pitch + place.x, share + l * vec, vec);
    }
}

/* Loads this work-item's elements of row p of a local tile into registers. */
static void load_fragment(real *fragment, const __local real *tile, const int p, const int pitch,
                          const int mask, const int reg, const int frag, const int place,
                          const int places) {
    const __local real *row = tile + p * pitch + (place * frag ^ mask);
#pragma unroll
    for (int i = 0; i < reg; i += frag)
        read_local(fragment + i, row + i * places, frag);
}

static void load_fragments(real a[REG_M], real b[REG_N], const __local real *tile_a,
                           const __local real *tile_b, const int p, const int at_m,
                           const int at_n) {
    load_fragment(a, tile_a, p, PITCH_A, SWIZZLE_A ? swizzle_mask(p, VEC_A) : 0, REG_M, FRAG_M,
                  at_m, WG_M);
    load_fragment(b, tile_b, p, PITCH_B, SWIZZLE_B ? swizzle_mask(p, VEC_B) : 0, REG_N, FRAG_N,
                  at_n, WG_N);
}

/* acc += a * b as an outer product, in serpentine order along the shorter side: each product shares
 * a factor with the one before. NVIDIA's register file has two ports, and a fused multiply-add with
 * three new operands takes two cycles. Measured in docs/kernels.md. */
static void multiply_add(real acc[REG_N][REG_M], const real a[REG_M], const real b[REG_N]) {
#if REG_M <= REG_N
#pragma unroll
    for (int j = 0; j < REG_N; j++)
#pragma unroll
        for (int x = 0; x < REG_M; x++) {
            const int i = j % 2 ? REG_M - 1 - x : x;
            acc[j][i] += a[i] * b[j];
        }
#else
#pragma unroll
    for (int i = 0; i < REG_M; i++)
#pragma unroll
        for (int x = 0; x < REG_N; x++) {
            const int j = i % 2 ? REG_N - 1 - x : x;
            acc[j][i] += a[i] * b[j];
        }
#endif
}

#if WG_K > 1
/* Adds up the accumulators of the work-group's slices: those of the upper half to the lower, until
 * slice 0 has the sums. They go through local memory, FRAG_N columns at a time. */
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

/* Writes `width` rows of one column of C, which are not read if beta is 0. */
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

/* Writes them where they belong: to C, or, of NARROW elements, to `parts` if that is there; reals
 * and C's elements are the same type otherwise, and so C stands for both. */
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

/* Writes the elements of C that this work-item computed, as far as they are in C. */
static void store_c(__global element *c, const long ldc, real acc[REG_N][REG_M], const real alpha,
                    const real beta, const int m, const int n, const int row0,
                    const int col0 PARTS_ARG) {
#pragma unroll
    for (int j = 0; j < REG_N; j++) {
        const int col = col0 + j / FRAG_N * (WG_N * FRAG_N) + j % FRAG_N;
#pragma unroll
        for (int i = 0; i < REG_M; i += STORE_C) {
            const int row = row0 + i / FRAG_M * (WG_M * FRAG_M) + i % FRAG_M;
            __global element *to = c + row + col * ldc;
            if (!EDGE_C || (row + STORE_C <= m && col < n))
                WRITE_C(to, acc[j] + i, STORE_C);
            else if (col < n)
                for (int e = 0; e < STORE_C; e++)
                    if (row + e < m)
                        WRITE_C(to + e, acc[j] + i + e, 1);
        }
    }
}
