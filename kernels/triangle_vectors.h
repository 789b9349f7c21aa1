/* SPDX-License-Identifier: Apache-2.0
 * Copies SIDE x WIDTH elements of X to and from the rows of a tile in local memory, by vectors, for
 * triangle_block's form of CPUs. Without ALONG_ROWS a row of X is a vector in memory, too. With it a
 * column is contiguous, and squares of WIDTH x WIDTH are transposed in registers:
 *
 *      X          tile
 *     | | | |     -----      If x_row is -1, a square is read from its last row, which is first in
 *     | | | |     -----      memory, so the tile's rows are taken backwards.
 *     | | | |     -----
 */

/* Each stage moves the highest bit of the row to the lowest bit of the column, that of the column
 * to the row's: after as many stages as a number of rows has bits, rows and columns have changed
 * places. */
static inline void transpose(lanes v[WIDTH]) {
#pragma unroll
    for (int stage = 1; stage < WIDTH; stage *= 2) {
        lanes next[WIDTH];
#pragma unroll
        for (int i = 0; i < WIDTH / 2; i++) {
            next[2 * i].even = v[i].lo;
            next[2 * i].odd = v[i + WIDTH / 2].lo;
            next[2 * i + 1].even = v[i].hi;
            next[2 * i + 1].odd = v[i + WIDTH / 2].hi;
        }
#pragma unroll
        for (int i = 0; i < WIDTH; i++)
            v[i] = next[i];
    }
}

/* The first of a square's rows in memory, and the tile's row that is row `r` there. */
#define FIRST(i, x_row) ((x_row) < 0 ? (i) + WIDTH - 1 : (i))
#define ROW(i, r, x_row) ((x_row) < 0 ? (i) + WIDTH - 1 - (r) : (i) + (r))

/* With KEEPS what is read is written to `copy`, too, which lies as X does. */
static inline void read_tile(__local lanes *tile, const __global real *x, const long x_row,
                             const long x_col, __global real *copy, const long copy_row,
                             const long copy_col) {
#if ALONG_ROWS
    for (int i = 0; i < SIDE; i += WIDTH) {
        lanes v[WIDTH];
#pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            v[j] = LOAD_VECTOR(WIDTH, 0, x + FIRST(i, x_row) * x_row + j * x_col);
            if (KEEPS)
                STORE_VECTOR(WIDTH, v[j], 0, copy + FIRST(i, x_row) * copy_row + j * copy_col);
        }
        transpose(v);
#pragma unroll
        for (int r = 0; r < WIDTH; r++)
            tile[ROW(i, r, x_row)] = v[r];
    }
#else
    (void)x_col, (void)copy_col;
    for (int i = 0; i < SIDE; i++) {
        tile[i] = LOAD_VECTOR(WIDTH, 0, x + i * x_row);
        if (KEEPS)
            STORE_VECTOR(WIDTH, tile[i], 0, copy + i * copy_row);
    }
#endif
}

/* X := alpha * tile */
static inline void write_tile(__global real *x, const long x_row, const long x_col,
                              const __local lanes *tile, const real alpha) {
#if ALONG_ROWS
    for (int i = 0; i < SIDE; i += WIDTH) {
        lanes v[WIDTH];
#pragma unroll
        for (int r = 0; r < WIDTH; r++)
            v[r] = alpha * tile[ROW(i, r, x_row)];
        transpose(v);
#pragma unroll
        for (int j = 0; j < WIDTH; j++)
            STORE_VECTOR(WIDTH, v[j], 0, x + FIRST(i, x_row) * x_row + j * x_col);
    }
#else
    (void)x_col;
    for (int i = 0; i < SIDE; i++)
        STORE_VECTOR(WIDTH, alpha * tile[i], 0, x + i * x_row);
#endif
}
