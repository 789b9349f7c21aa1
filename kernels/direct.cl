/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * op(A) * op(B) + beta * C in one launch, for any shape, stride and transpose.
 *
 *                 n                       op(A)(i, p) = a[i * a_row + p * a_col]
 *            +--------+                   op(B)(p, j) = b[p * b_row + j * b_col]
 *         k  |   B  : |                   C(i, j)     = c[i + j * ldc]
 *            +------:-+
 *      k       TILE_N                     A work-group computes TILE_M x TILE_N elements of C. Each
 *   +-----+  +------:-+                   of its WG_M x WG_N work-items computes REG_M x REG_N of
 * m |  A  |  |   C  : |                   them, WG_M rows and WG_N columns apart, so that
 *   |.....|  |......# | TILE_M            neighbours along m access neighbouring elements.
 *   +-----+  +--------+
 *
 * Local memory is not used: the matrices of small problems stay in the caches, and saving a launch
 * is worth more. Past the edge the last row or column is read again (it exists, since m, n, k >= 1)
 * and nothing is written. TRIANGLE: only a triangle of C is computed (triangle.h). */
#include "number.h"
#include "left_out.h"
#include "triangle.h"

#ifndef TILE_M
#define TILE_M 64
#define TILE_N 16
#define WG_M 32
#define WG_N 8
#endif
#define REG_M (TILE_M / WG_M)
#define REG_N (TILE_N / WG_N)
#if TRIANGLE
#include "tile_triangle.h"
#endif

__kernel __attribute__((reqd_work_group_size(WG_M * WG_N, 1, 1))) void
clg_direct(const long m, const long n, const long k, const number alpha, const number beta,
           const __global element *a, const long a_offset, const long a_row,
           const long a_col BATCH_STRIDE(a) SIGN_ARG(a), const __global element *b,
           const long b_offset, const long b_row, const long b_col BATCH_STRIDE(b) SIGN_ARG(b),
           __global element *c, const long c_offset, const long ldc BATCH_STRIDE(c) BATCH_ARGS LEFT_OUT_ARGS) {
    const long tiles_m = (m + TILE_M - 1) / TILE_M;
    const long group = GROUP_ID;
    const int item = get_local_id(0);
#if TRIANGLE
    const long tiles_n = (n + TILE_N - 1) / TILE_N;
    const int2 tile = triangle_tile((int)group, (int)tiles_m, (int)tiles_n, TILE_M, TILE_N, 1);
#else
    const long2 tile = (long2)(group % tiles_m, group / tiles_m);
#endif
    if (IS_DONE((int)tile.x * TILE_M, (int)tile.y * TILE_N))
        return;
    const long row = (long)tile.x * TILE_M + item % WG_M, col = (long)tile.y * TILE_N + item / WG_M;

    long a_start[REG_M], b_start[REG_N];
    number acc[REG_N][REG_M];
    for (int i = 0; i < REG_M; i++)
        a_start[i] = a_offset + PRODUCT_OF(a) + min(row + i * WG_M, m - 1) * a_row;
    for (int j = 0; j < REG_N; j++)
        b_start[j] = b_offset + PRODUCT_OF(b) + min(col + j * WG_N, n - 1) * b_col;
    for (int j = 0; j < REG_N; j++)
        for (int i = 0; i < REG_M; i++)
            acc[j][i] = 0;

    for (long p = 0; p < k; p++)
        for (int j = 0; j < REG_N; j++) {
            const number b_pj = SIGNED(b, LOAD(b, b_start[j] + p * b_row));
            for (int i = 0; i < REG_M; i++)
                acc[j][i] =
                    plus_product(acc[j][i], SIGNED(a, LOAD(a, a_start[i] + p * a_col)), b_pj);
        }

    for (int j = 0; j < REG_N; j++)
        for (int i = 0; i < REG_M; i++) {
            const long r = row + i * WG_M, s = col + j * WG_N;
            if (r < m && s < n && IS_COMPUTED(r - DIAGONAL(s))) {
                __global element *to = c + c_offset + PRODUCT_OF(c) + r + s * ldc;
                STORE(to, 0,
                      plus(scaled(alpha, acc[j][i]),
                           is_zero(beta) ? (number)0 : scaled(beta, LOAD(to, 0))));
            }
        }
}
