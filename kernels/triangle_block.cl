/* SPDX-License-Identifier: Apache-2.0
 * X := alpha * inv(T) * X (SOLVES), or alpha * T * X, for a block T of at most SIDE x SIDE, lower
 * triangular. The steps of trsm and trmm that are not products. With KEEPS what X was is written to
 * a copy.
 *
 *                     cols               T(i, k) = a[i * a_row + k * a_col], read only where i >= k,
 *    +-----+       +--+--+------+        with UNIT_DIAGONAL only where i > k
 *    |\    |       |  |::|      |        X(i, j) = x[i * x_row + j * x_col]
 *    | \ T |  rows |  |::| X    |
 *    |  \  |       |  |::|      |        Strides may be negative: an upper triangular T is a lower
 *    +-----+       +--+--+------+        one from its end.
 *
 * A work-group has T and LANES * WIDTH columns of X in local memory, `turns` times in turn. Each of
 * its first LANES work-items has a vector of WIDTH columns and computes a strip of STRIP rows at a
 * time: first with the rows of other strips, then with the strip's own triangle. T is used as it
 * is, without an inverse. All of its GROUP work-items copy, because latency limits copies. For T * X,
 * whose strips do not depend on each other, all compute a strip each, if there are enough of them. */
#include "number.h"

#ifndef SIDE
#define SIDE 64
#define GROUP 256
#define LANES 32
#define WIDTH 1
#define STRIP 8
#define SOLVES 1
#define KEEPS 0
#define UNIT_DIAGONAL 0
#define ALONG_ROWS 1 /* x_row is 1 or -1 */
#endif
#define COLUMNS (LANES * WIDTH)
#define COPIED ((GROUP + SIDE - 1) / SIDE) /* columns of T that the work-group copies at a time */
/* Row and column of element e; and how many elements a work-item reads at a time. */
#define X_ROW(e) ROW_OF(e, SIDE, COLUMNS)
#define X_COLUMN(e) COLUMN_OF(e, SIDE, COLUMNS)
#define READ (SIDE * COLUMNS / GROUP < 8 ? SIDE * COLUMNS / GROUP : 8)
#define AT_ONCE (!SOLVES && GROUP / LANES >= SIDE / STRIP) /* all strips are computed at a time */
/* Columns of T in an unrolled loop: more complex ones would spill. */
#define AT_A_TIME (SOLVES || PARTS == 1 ? STRIP : 2)

#if WIDTH == 1
typedef real lanes;
#define PAD 1 /* spreads a column over the banks */
#else
typedef GLUE(real, WIDTH) lanes;
#define PAD 0
#endif
#include "triangle_values.h"

#ifdef COMPLEX
#define PARTS 2
#define GET(at, row) {at[0][row][lane], at[1][row][lane]}
#define PUT(at, row, value)           \
    at[0][row][lane] = (value).re;    \
    at[1][row][lane] = (value).im
#else
#define PARTS 1
#define GET(at, row) {at[0][row][lane]}
#define PUT(at, row, value) at[0][row][lane] = (value).re
#endif

/* A work-item alone copies vectors, where a tile is whole. */
#define VECTORS (WIDTH > 1 && GROUP == 1 && PARTS == 1)
#if VECTORS
#include "triangle_vectors.h"
#endif

#if KEEPS
#define KEPT kept + j0 * copy_col, copy_row, copy_col
#define COPY_ARGS                                                                       \
    , __global element *restrict copy, const long copy_offset, const long copy_row,     \
        const long copy_col BATCH_STRIDE(copy)
#else
#define KEPT 0, 0, 0
#define COPY_ARGS
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
clg_triangle_block(const int rows, const int cols, const int turns, const number alpha,
                   const __global element *restrict a, const long a_offset, const long a_row,
                   const long a_col BATCH_STRIDE(a) SIGN_ARG(a), __global element *x,
                   const long x_offset, const long x_row,
                   const long x_col BATCH_STRIDE(x) COPY_ARGS BATCH_ARGS) {
    /* t[k][i] = T(i, k), to solve -T(i, k) but for the diagonal; past the rows as in a unit matrix. */
    __local number t[SIDE][SIDE] __attribute__((aligned(64)));
    __local lanes tile[PARTS][SIDE][LANES + PAD];
    const int item = get_local_id(0), lane = item % LANES, strips = (rows + STRIP - 1) / STRIP;
    const __global element *from = a + a_offset + PRODUCT_OF(a);
    __global element *at = x + x_offset + PRODUCT_OF(x);
#if KEEPS
    __global element *kept = copy + copy_offset + PRODUCT_OF(copy);
#endif
    /* What is above the diagonal is not used. A work-item alone reads T along its
     * contiguous rows or columns. */
    const bool by_rows = GROUP == 1 && (a_col == 1 || a_col == -1);
#pragma unroll 8
    for (int n = 0; n < SIDE / COPIED; n++) {
        const int outer = item / SIDE + n * COPIED;
        const int first = GROUP < SIDE ? by_rows ? 0 : outer : item % SIDE;
        for (int inner = first; inner < (by_rows ? outer + 1 : SIDE); inner += GROUP) {
            const int i = by_rows ? outer : inner, k = by_rows ? inner : outer;
            number value = i == k ? ONE : (number)0;
            if (i < rows && k < i + !UNIT_DIAGONAL)
                value = SIGNED(a, LOAD(from, i * a_row + k * a_col));
            t[k][i] = SOLVES && i != k ? -value : value;
        }
    }

    for (int turn = 0; turn < turns; turn++) {
        const int j0 = ((int)GROUP_ID * turns + turn) * COLUMNS;
        barrier(CLK_LOCAL_MEM_FENCE);
#if VECTORS
        const bool whole = rows == SIDE && j0 + COLUMNS <= cols;
        if (whole)
            read_tile(tile[0][0], at + j0 * x_col, x_row, x_col, KEPT);
        else
#endif
        for (int e0 = item; e0 < SIDE * COLUMNS; e0 += READ * GROUP) {
            number value[READ]; /* all on their way before one is used */
#pragma unroll
            for (int n = 0; n < READ; n++) {
                const int i = X_ROW(e0 + n * GROUP), j = X_COLUMN(e0 + n * GROUP);
                value[n] = 0;
                if (i < rows && j0 + j < cols)
                    value[n] = LOAD(at, i * x_row + (j0 + j) * x_col);
            }
#pragma unroll
            for (int n = 0; n < READ; n++) {
                const int i = X_ROW(e0 + n * GROUP), j = X_COLUMN(e0 + n * GROUP);
#if KEEPS
                if (i < rows && j0 + j < cols)
                    STORE(kept, i * copy_row + (j0 + j) * copy_col, value[n]);
#endif
#ifdef COMPLEX
                ((__local real *)tile[0][i])[j] = value[n].x;
                ((__local real *)tile[1][i])[j] = value[n].y;
#else
                ((__local real *)tile[0][i])[j] = value[n];
#endif
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        const int first = AT_ONCE ? min(item / LANES, strips - 1) : 0;
        const int last = AT_ONCE ? first : item < LANES ? strips - 1 : -1;
        for (int s = first; s <= last; s++) {
            /* T * X in turn begins with the last strip, so that the rows before are unchanged. */
            const int row = (SOLVES || AT_ONCE ? s : strips - 1 - s) * STRIP;
            values sum[STRIP];
#pragma unroll
            for (int r = 0; r < STRIP; r++) {
                const values value = GET(tile, row + r), none = {0};
                sum[r] = SOLVES ? value : none;
            }
            for (int other = 0; other < row; other += STRIP)
#pragma unroll AT_A_TIME
                for (int k = other; k < other + STRIP; k++) {
                    const values value = GET(tile, k);
#pragma unroll
                    for (int r = 0; r < STRIP; r++) {
                        ADD_TIMES(sum[r], t[k][row + r], value);
                    }
                }
#pragma unroll
            for (int k = 0; k < STRIP; k++) {
                values value = GET(tile, row + k);
                if (SOLVES) {
                    if (!UNIT_DIAGONAL)
                        sum[k] = quotient(sum[k], t[row + k][row + k]);
                    value = sum[k];
                }
#pragma unroll
                for (int r = 0; r < STRIP; r++)
                    if (r >= k + SOLVES) {
                        ADD_TIMES(sum[r], t[row + k][row + r], value);
                    }
            }
#if AT_ONCE
            barrier(CLK_LOCAL_MEM_FENCE);
            if (item / LANES == s)
#endif
#pragma unroll
                for (int r = 0; r < STRIP; r++) {
                    PUT(tile, row + r, sum[r]);
                }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if VECTORS
        if (whole)
            write_tile(at + j0 * x_col, x_row, x_col, tile[0][0], alpha);
        else
#endif
#pragma unroll 8
        for (int n = 0; n < SIDE * COLUMNS / GROUP; n++) {
            const int e = item + n * GROUP;
            const int i = X_ROW(e), j = X_COLUMN(e);
#ifdef COMPLEX
            const number value = (number)(((__local real *)tile[0][i])[j], ((__local real *)tile[1][i])[j]);
#else
            const number value = ((__local real *)tile[0][i])[j];
#endif
            if (i < rows && j0 + j < cols)
                STORE(at, i * x_row + (j0 + j) * x_col, scaled(alpha, value));
        }
    }
}
