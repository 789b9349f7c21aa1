/* SPDX-License-Identifier: Apache-2.0
 * The order in which clg_tiled visits the tiles of C, and clg_join those of the tail. The build
 * puts this text in place of the #include. */

/* Where a tile starts: .x along m, .y along n. Tiles are visited in bands of BAND_M along m, so
 * that groups that run at the same time share rows of A and columns of B in the cache. */
static int2 tile_corner(const int tile, const int tiles_m, const int tiles_n) {
    const int band = tile / (BAND_M * tiles_n);
    const int in_band = tile - band * (BAND_M * tiles_n);
    const int height = min(tiles_m - band * BAND_M, BAND_M);
    return (int2)((band * BAND_M + in_band % height) * TILE_M, in_band / height * TILE_N);
}
