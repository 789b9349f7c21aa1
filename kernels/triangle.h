/* SPDX-License-Identifier: Apache-2.0
 * Products of which only a triangle of C is computed (syrk): with TRIANGLE 1 the elements on and
 * below the diagonal, with 2 those on and above it. All others are neither read nor written. Without
 * TRIANGLE, or with 0, all of C is computed. The build puts this text in place of the #include.
 *
 * C has ROWS_EACH rows for each column: 2 if they are parts of complex numbers (gemm/complex.h). So
 * the diagonal crosses column j in ROWS_EACH rows, from DIAGONAL(j) on. With EXTRA 1 the next
 * diagonal is computed as well: where columns are parts, too, the diagonal has blocks of 2 x 2.
 *
 * `below` is an element's distance from the diagonal: its row less DIAGONAL of its column. Blocks of
 * rows x cols have that of their first element. */
#ifndef TRIANGLE
#define TRIANGLE 0
#endif
#ifndef ROWS_EACH
#define ROWS_EACH 1
#endif
#ifndef EXTRA
#define EXTRA 0
#endif
#define DIAGONAL(col) ((col) * ROWS_EACH)
#if TRIANGLE == 1
#define IS_COMPUTED(below) ((below) >= -EXTRA)
#define ARE_ALL_COMPUTED(below, rows, cols) ((below) + EXTRA >= DIAGONAL((cols) - 1))
#define IS_ANY_COMPUTED(below, rows, cols) ((below) + (rows) + EXTRA > 0)
#elif TRIANGLE == 2
#define IS_COMPUTED(below) ((below) < ROWS_EACH + EXTRA)
#define ARE_ALL_COMPUTED(below, rows, cols) ((below) + (rows) <= ROWS_EACH + EXTRA)
#define IS_ANY_COMPUTED(below, rows, cols) ((below) < DIAGONAL(cols) + EXTRA)
#else
#define IS_COMPUTED(below) 1
#define ARE_ALL_COMPUTED(below, rows, cols) 1
#define IS_ANY_COMPUTED(below, rows, cols) 1
#endif
