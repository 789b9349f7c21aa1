/* SPDX-License-Identifier: Apache-2.0
 * Adds to a triangle of the n x n matrix C:
 *
 *     C := beta * C               TERMS = 0
 *     C := W + beta * C           TERMS = 1
 *     C := W + W' + beta * C      TERMS = 2; W' is W transposed, with HERMITIAN also conjugated
 *
 * W(i, j) is at i * w_row + j * w_col. Only elements with i >= j, or with UPPER i <= j, are read and
 * written; with beta = 0, C is not read. A Hermitian C gets a real diagonal; with DIAGONAL that is
 * all that is read and written. A work-group has a SIDE x SIDE square. */
#include "number.h"

#ifndef TERMS
#define TERMS 2
#define UPPER 0
#define HERMITIAN 0
#define DIAGONAL 0
#endif
#define SIDE 32
#define ROWS 8 /* of the square that the work-group has at a time */

#if TERMS
#define W_ARGS                                                                  \
    , const __global element *w, const long w_offset, const long w_row, const long w_col BATCH_STRIDE(w)
#else
#define W_ARGS
#endif

__kernel __attribute__((reqd_work_group_size(SIDE * ROWS, 1, 1))) void
clg_triangle_merge(const int n, const number beta W_ARGS, __global element *c, const long c_offset,
                   const long ldc BATCH_STRIDE(c) BATCH_ARGS) {
    const int squares = (n + SIDE - 1) / SIDE;
    const int square = (int)GROUP_ID;
    const int row = DIAGONAL ? square : square % squares, column = DIAGONAL ? square : square / squares;
    const int i = row * SIDE + (int)get_local_id(0) % SIDE;
    const int j0 = column * SIDE + (int)get_local_id(0) / SIDE;
    for (int j = j0; j < j0 + SIDE && j < n; j += ROWS) {
        if (i >= n || (DIAGONAL ? i != j : UPPER ? i > j : i < j))
            continue;
        __global element *to = c + c_offset + PRODUCT_OF(c) + i + j * ldc;
        number sum = is_zero(beta) ? (number)0 : scaled(beta, LOAD(to, 0));
#if TERMS
        const __global element *from = w + w_offset + PRODUCT_OF(w);
        sum += LOAD(from, i * w_row + j * w_col);
#endif
#if TERMS == 2
        number other = LOAD(from, j * w_row + i * w_col);
#if HERMITIAN
        other.y = -other.y;
#endif
        sum += other;
#endif
#if HERMITIAN
        if (i == j)
            sum.y = 0;
#endif
        STORE(to, 0, sum);
    }
}
