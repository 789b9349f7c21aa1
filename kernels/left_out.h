/* SPDX-License-Identifier: Apache-2.0
 * ONLY_LEFT_OUT: only tiles with rows or columns that the kernels of residues.h have left out are
 * computed. The build puts this text in place of the #include. */
#ifdef ONLY_LEFT_OUT
#include "residues.h"
#define LEFT_OUT_ARGS , const __global int *restrict scales
#define IS_DONE(row0, col0) is_done(scales, (int)(m), (int)(n), row0, col0)

/* Whether the tile that begins there is computed already. */
static bool is_done(const __global int *scales, const int m, const int n, const int row0,
                    const int col0) {
    return REST(scales, m, n) == NOTHING ||
           (!some_left_out(UNITS_A(scales, m, n), row0, TILE_M, m) &&
            !some_left_out(UNITS_B(scales, m, n), col0, TILE_N, n));
}
#else
#define LEFT_OUT_ARGS
#define IS_DONE(row0, col0) 0
#endif
