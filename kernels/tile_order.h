/* SPDX-License-Identifier: Apache-2.0
 * The order in which clg_tiled visits the tiles of C, and clg_join those of the tail. The build
 * puts this text in place of the #include. */

#if TRIANGLE
#include "tile_triangle.h"
#define TILES_ARG , const int c_tiles /* that meet the triangle */
#define TILES_OF_C c_tiles

static int2 tile_corner(const int tile, const int tiles_m, const int tiles_n) {
    return triangle_tile(tile, tiles_m, tiles_n, TILE_M, TILE_N, BAND_M) * (int2)(TILE_M, TILE_N);
}

/* Whether the tile at the corner has any of the `rows` elements of a column from (row, col) on. */
static inline int is_of_tile(const int row, const int rows, const int col, const int2 corner,
                             const int m, const int n) {
    return row + rows > corner.x && row < min(corner.x + TILE_M, m) && col >= corner.y &&
           col < min(corner.y + TILE_N, n);
}
#else
#define TILES_ARG
#define TILES_OF_C (tiles_m * tiles_n)

/* Where a tile starts: .x along m, .y along n. Tiles are visited in bands of BAND_M along m, so
 * that groups that run at the same time share rows of A and columns of B in the cache. */
static int2 tile_corner(const int tile, const int tiles_m, const int tiles_n) {
    const int band = tile / (BAND_M * tiles_n);
    const int in_band = tile - band * (BAND_M * tiles_n);
    const int height = min(tiles_m - band * BAND_M, BAND_M);
    return (int2)((band * BAND_M + in_band % height) * TILE_M, in_band / height * TILE_N);
}
#endif
