/* SPDX-License-Identifier: Apache-2.0
 * Writes columns of a symmetric or Hermitian matrix of which one triangle is stored, for a product
 * that reads them as an ordinary matrix.
 *
 *          first                        w: rows x cols, columns w_ld apart
 *        +---+---+---+                  x(i, j) = x[i * x_row + j * x_col]: read only where
 *        |   |:::|   |                  i >= j, or with UPPER i <= j
 *   rows |   |:::|   | cols
 *        +---+---+---+
 *
 * A work-group writes a SIDE x SIDE square. It reads the one with the same elements that is stored,
 * along rows with ALONG_ROWS, and turns it in local memory. `first` is a multiple of SIDE, so that
 * a square on the diagonal is its own. A Hermitian matrix has a real diagonal, whatever is stored. */
#include "number.h"

#ifndef UPPER
#define UPPER 0
#define HERMITIAN 0
#define ALONG_ROWS 1
#endif
#define SIDE 32
#define ROWS 8 /* of the square that the work-group moves at a time */
#define IS_STORED(i, j) (UPPER ? (i) <= (j) : (i) >= (j))

__kernel __attribute__((reqd_work_group_size(SIDE * ROWS, 1, 1))) void
clg_triangle_fill(const int rows, const int cols, const int first,
                  const __global element *restrict x, const long x_offset, const long x_row,
                  const long x_col BATCH_STRIDE(x), __global element *restrict w,
                  const long w_offset, const int w_ld BATCH_STRIDE(w) BATCH_ARGS) {
    __local number square[SIDE][SIDE + 1];
    const int fast = (int)get_local_id(0) % SIDE, slow = (int)get_local_id(0) / SIDE;
    const int squares = (rows + SIDE - 1) / SIDE;
    const int i0 = (int)(GROUP_ID % squares) * SIDE, c0 = (int)(GROUP_ID / squares) * SIDE;
    const int j0 = first + c0;
    const int p0 = IS_STORED(i0, j0) ? i0 : j0, q0 = IS_STORED(i0, j0) ? j0 : i0;
    const __global element *from = x + x_offset + PRODUCT_OF(x);
    __global element *to = w + w_offset + PRODUCT_OF(w) + i0 + fast;

    for (int s = slow; s < SIDE; s += ROWS) {
        const int p = ALONG_ROWS ? fast : s, q = ALONG_ROWS ? s : fast;
        if (p0 + p < rows && q0 + q < rows && IS_STORED(p0 + p, q0 + q))
            square[p][q] = LOAD(from, (p0 + p) * x_row + (q0 + q) * x_col);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = slow; s < SIDE; s += ROWS) {
        if (i0 + fast >= w_ld || c0 + s >= cols)
            continue;
        number value = 0; /* in the gap between columns, which vectors read */
        if (i0 + fast < rows)
            value = IS_STORED(i0 + fast, j0 + s) ? square[fast][s] : square[s][fast];
#if HERMITIAN
        value.y = i0 + fast == j0 + s ? 0 : IS_STORED(i0 + fast, j0 + s) ? value.y : -value.y;
#endif
        STORE(to, (c0 + s) * (long)w_ld, value);
    }
}
