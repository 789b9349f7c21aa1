/* SPDX-License-Identifier: Apache-2.0
 * Products of which only a triangle of C is computed (syrk): with TRIANGLE 1 the elements on and
 * below the diagonal, with 2 those on and above it. All others are neither read nor written. Without
 * TRIANGLE, or with 0, all of C is computed. The build puts this text in place of the #include.
 *
 * `below` is an element's distance from the diagonal: its row less its column. Blocks of rows x cols
 * have that of their first element. */
#ifndef TRIANGLE
#define TRIANGLE 0
#endif
#if TRIANGLE == 1
#define IS_COMPUTED(below) ((below) >= 0)
#define ARE_ALL_COMPUTED(below, rows, cols) ((below) - (cols) >= -1)
#define IS_ANY_COMPUTED(below, rows, cols) ((below) + (rows) > 0)
#elif TRIANGLE == 2
#define IS_COMPUTED(below) ((below) <= 0)
#define ARE_ALL_COMPUTED(below, rows, cols) ((below) + (rows) <= 1)
#define IS_ANY_COMPUTED(below, rows, cols) ((below) - (cols) < 0)
#else
#define IS_COMPUTED(below) 1
#define ARE_ALL_COMPUTED(below, rows, cols) 1
#define IS_ANY_COMPUTED(below, rows, cols) 1
#endif
