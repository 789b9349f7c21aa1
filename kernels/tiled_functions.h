/* SPDX-License-Identifier: Apache-2.0
 * The functions of kernels/tiled.cl that move tiles; its head explains the macros. The build puts
 * this text in place of the #include. */

/* ---- Tiles and fragments. `outer` is along m (A) or n (B). ---- */

/* The number of vectors along k that neighbouring work-items read from a tile that is transposed,
 * in each of 32 / run_along_k columns. */
static int run_along_k(const int vec) {
    return TILE_K / vec < 8 ? TILE_K / vec : 8;
}

/* Where vector `v` starts in a tile: .x along outer, .y along k. */
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
 * that neighbouring work-items write fall into different banks (32 of four bytes each). Four
 * neighbouring columns stay together. */
static int swizzle_mask(const int p, const int vec) {
    const int run = run_along_k(vec);
    return p / vec % run * (32 / run);
}

/* Loads this work-item's share of the tile at `x` from global memory into registers. From there on
 * the matrix has `outer` elements along m or n and `depth` along k; unless `tail`, depth is at
 * least TILE_K. */
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

/* With SPREAD_B each of so many work-items has another element of a fragment's. */
static void load_fragments(real a[REG_M], real b[HELD_N], const __local real *tile_a,
                           const __local real *tile_b, const int p, const int at_m,
                           const int at_n) {
    load_fragment(a, tile_a, p, PITCH_A, SWIZZLE_A ? swizzle_mask(p, VEC_A) : 0, REG_M, FRAG_M,
                  at_m, WG_M);
    const int mask_b = SWIZZLE_B ? swizzle_mask(p, VEC_B) : 0;
#ifdef SPREAD_B
    load_fragment(b, tile_b, p, PITCH_B, mask_b, HELD_N, 1,
                  at_n * SPREAD_B + (int)get_local_id(0) % SPREAD_B, WG_N * SPREAD_B);
#else
    load_fragment(b, tile_b, p, PITCH_B, mask_b, REG_N, FRAG_N, at_n, WG_N);
#endif
}
