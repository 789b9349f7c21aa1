/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * (the sum of the slices) + beta * C for the tiles from `whole` on: the last step of a
 * product whose tail is split along k (clg_tiled).
 *
 * `parts` holds, slice after slice, a column-major block of TILE_M x TILE_N for each such tile. A
 * work-item adds up four rows of a column in the order of the slices, so that the result is the
 * same each time.
 *
 * GRAIN_M, GRAIN_N: tiles begin at multiples of these, which are at most TILE_M and TILE_N.
 * TRIANGLE: as in tiled.cl.
 */
#include "real.h"

#ifndef TILE_M
#define TILE_M 64
#define TILE_N 64
#define BAND_M 8
#define GRAIN_M 4
#define GRAIN_N 1
#endif
#define GROUP_SIZE 128

#include "triangle.h"
#include "tile_order.h"
#include "tile_inside.h"
#if TRIANGLE
#define IS_OF_C(row) (is_of_tile(row, 1, col, corner, m, n) && IS_COMPUTED((row) - DIAGONAL(col)))
#else
#define IS_OF_C(row) ((row) < end_m)
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void
clg_join(const int m, const int n, const real alpha, const real beta,
         const __global real *restrict parts, const int slices, const int whole, __global element *c,
         const long c_offset, const long ldc TILES_ARG) {
    const int tiles_m = (m + TILE_M - 1) / TILE_M, tiles_n = (n + TILE_N - 1) / TILE_N;
    const int quads_m = TILE_M / 4, quads = quads_m * TILE_N; /* of a tile */
    const int all = (TILES_OF_C - whole) * quads, quad = (int)get_global_id(0);
    if (quad >= all)
        return;
    const int2 corner = tile_corner(whole + quad / quads, tiles_m, tiles_n);
#if TRIANGLE
    const int end_m = m, end_n = n;
#else
    const int end_m = end_inside(corner.x, m, TILE_M, GRAIN_M);
    const int end_n = end_inside(corner.y, n, TILE_N, GRAIN_N);
#endif
    const int row = begin_inside(corner.x, m, TILE_M, GRAIN_M) + quad % quads_m * 4;
    const int col = begin_inside(corner.y, n, TILE_N, GRAIN_N) + quad % quads / quads_m;
    if (row >= end_m || col >= end_n)
        return;
    real4 sum = 0;
#pragma unroll 4
    for (int s = 0; s < slices; s++)
        sum += *(const __global real4 *)(parts + ((long)s * all + quad) * 4);
    real result[4];
    vstore4(alpha * sum, 0, result);
    __global element *to = c + c_offset + row + col * ldc;
#pragma unroll /* else result would be in memory */
    for (int e = 0; e < 4; e++)
        if (IS_OF_C(row + e))
            STORE(to, e, beta != 0 ? result[e] + beta * LOAD(to, e) : result[e]);
}
