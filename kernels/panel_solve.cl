/* SPDX-License-Identifier: Apache-2.0
 * X := alpha * inv(T) * X on a CPU, for a triangle T of rows x rows whose rows clg_panel_pack has
 * packed: the steps of trsm that are not products. (K. Goto, R. van de Geijn, High-performance
 * implementation of the level-3 BLAS, ACM TOMS 35, 2008, solve in packed panels, too.)
 *
 *        k                 cols
 *     +-----+      +---+-------+---+
 *     |\    |      |   |:::|:::|   |    T(i, k) = t[i / REG_N * REG_N * rows + k * REG_N + i % REG_N]
 *     |#\   | rows |   |:::|:::| X |    X(i, j) = x[x_offset + i * x_row + j * x_col]
 *     |##\  |      |   |:::|:::|   |    one of x_row and x_col is 1; with ALONG_K x_row is
 *     +-----+      +---+-------+---+
 *                       `width`
 *
 * A work-group is one work-item. It takes `width` columns of X from the counter next[0] until none
 * is left, packs them into its own part of `blocks` (block_size elements for each work-group) as
 * panels of PANEL_M columns, which stay in the L2 cache, solves there and writes them back. Vectors
 * run along columns of X: REG_N rows of a panel, two vectors each, lose what the rows before (with
 * `upper` those after) contribute, and are then solved one by one with the square on T's diagonal.
 * T is used as it is, without an inverse, and with `unit` its diagonal is ones.
 *
 * next[0] and next[1] are 0 before and after a launch. With BATCH the columns are those of all
 * products; t_stride is 0 if they have one T. VEC and REG_N are as in panel.cl. */
#undef ELEMENT /* C has reals */
#include "real.h"

#ifndef ALONG_K
#define ALONG_K 1
#endif
#include "panel_strip.h"

#ifdef BATCH
#define BATCH_PRODUCTS , const int products
#define ALL_PRODUCTS products
#define OF_PRODUCT(x) ((long)(task / each) * x##_stride)
#else
#define BATCH_PRODUCTS
#define ALL_PRODUCTS 1
#define OF_PRODUCT(x) 0
#endif

/* Solves rows s .. s + REG_N - 1 of a panel. `t` is T's panel of these rows, `x` X's; `upper` is a
 * constant. */
static inline void solve_rows(__global real *x, const __global real *t, const int s, const int rows,
                              const int unit, const real alpha, const int upper) {
    const int end = upper ? rows : s;
    vec u[REG_N], v[REG_N];
#pragma unroll
    for (int j = 0; j < REG_N; j++)
        u[j] = v[j] = 0;
    for (int k = upper ? s + REG_N : 0; k < end; k++) {
        const vec x_u = *(const __global vec *)(x + k * PANEL_M);
        const vec x_v = *(const __global vec *)(x + k * PANEL_M + VEC);
#pragma unroll
        for (int j = 0; j < REG_N; j++) {
            u[j] = fma(x_u, (vec)t[k * REG_N + j], u[j]);
            v[j] = fma(x_v, (vec)t[k * REG_N + j], v[j]);
        }
    }
#pragma unroll
    for (int n = 0; n < REG_N; n++) {
        const int j = upper ? REG_N - 1 - n : n, row = s + j;
        if (row >= rows)
            continue;
        __global vec *at = (__global vec *)(x + row * PANEL_M);
        u[j] = alpha * at[0] - u[j];
        v[j] = alpha * at[1] - v[j];
#pragma unroll
        for (int e = 0; e < REG_N; e++)
            if (upper ? e > j && s + e < rows : e < j) {
                u[j] -= u[e] * t[(s + e) * REG_N + j];
                v[j] -= v[e] * t[(s + e) * REG_N + j];
            }
        if (!unit) {
            u[j] /= t[row * REG_N + j];
            v[j] /= t[row * REG_N + j];
        }
        at[0] = u[j];
        at[1] = v[j];
    }
}

/* Writes a panel of up to PANEL_M columns. */
static inline void write_panel(__global real *x, const long x_row, const long x_col,
                               const __global real *panel, const int rows, const int columns) {
    int i = 0;
#if ALONG_K
    if (columns == PANEL_M)
        for (; i + 4 <= rows; i += 4)
            for (int j = 0; j < PANEL_M; j += 4)
                transpose_4x4(x + i + j * x_col, panel + i * PANEL_M + j, PANEL_M, x_col);
#else
    if (columns == PANEL_M)
        for (; i < rows; i++) {
            store(load(0, panel + i * PANEL_M), 0, x + i * x_row);
            store(load(1, panel + i * PANEL_M), 1, x + i * x_row);
        }
#endif
    for (; i < rows; i++)
        for (int j = 0; j < columns; j++)
            x[i * x_row + j * x_col] = panel[i * PANEL_M + j];
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
clg_panel_solve(const int rows, const int cols, const int width, const int upper, const int unit,
                const real alpha, const __global real *t BATCH_STRIDE(t), __global real *x,
                const long x_offset, const long x_row, const long x_col BATCH_STRIDE(x),
                __global real *blocks, const long block_size, volatile __global int *next BATCH_PRODUCTS) {
    __global real *block = blocks + get_group_id(0) * block_size;
    const int each = (cols + width - 1) / width, tasks = each * ALL_PRODUCTS;
    for (int task = atomic_inc(next); task < tasks; task = atomic_inc(next)) {
        const int j0 = task % each * width, columns = min(width, cols - j0);
        const int panels = (columns + PANEL_M - 1) / PANEL_M;
        const int strips = (rows + REG_N - 1) / REG_N;
        const long size = (long)rows * PANEL_M;
        const __global real *t_task = t + OF_PRODUCT(t);
        __global real *x_task = x + x_offset + OF_PRODUCT(x) + j0 * x_col;
        pack_strip(block, size, x_task, ALONG_K ? x_col : x_row, columns, 0, panels * PANEL_M, rows,
                   ALONG_K, PANEL_M);
        for (int n = 0; n < strips; n++) {
            const int s = (upper ? strips - 1 - n : n) * REG_N;
            for (int panel = 0; panel < panels; panel++)
                if (upper)
                    solve_rows(block + panel * size, t_task + (long)s * rows, s, rows, unit, alpha, 1);
                else
                    solve_rows(block + panel * size, t_task + (long)s * rows, s, rows, unit, alpha, 0);
        }
        for (int panel = 0; panel < panels; panel++)
            write_panel(x_task + panel * PANEL_M * x_col, x_row, x_col, block + panel * size, rows,
                        min(columns - panel * PANEL_M, PANEL_M));
    }
    /* The last work-group to finish resets the counters. */
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(next + 1) == (int)get_num_groups(0) - 1) {
        atomic_xchg(next, 0);
        atomic_xchg(next + 1, 0);
    }
}
