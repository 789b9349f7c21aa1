/* SPDX-License-Identifier: Apache-2.0
 * X := alpha * inv(T) * X for a block T of at most ROWS x ROWS, lower triangular: a step of trsm on
 * GPUs, for as many rows as a work-group can have in registers.
 *
 *           k             COLUMNS           T(i, k) = a[i * a_row + k * a_col], read only where
 *    +------+---------+    +---+            i >= k, with UNIT_DIAGONAL only where i > k
 *    |\     |         |    |   |            X(i, j) = x[i * x_row + j * x_col]
 *    | \    |         |    |   |
 *    +--+---+         |    +---+            Strides may be negative: an upper triangular T is a
 *    |  |\ t|         |    | s | STRIP      lower one from its end.
 *    |  |:\ |         |    +---+
 *    |  |::\|         |    |:::|
 *    |  |:::|\        |    |:::|
 *    +--+---+---------+    +---+
 *
 * A work-item has STRIP rows of OWN columns of X. For one strip after another, those that have the
 * strip s divide by its triangle t and put the result into local memory. After a barrier all that
 * have rows below subtract from them T's columns times s.
 *
 * T's columns are in local memory in one of three tiles. While one is multiplied, the next one is
 * ready, and elements of the one after it are on their way from global memory to registers. So a
 * tile is written two barriers after it was last read, and one barrier a strip is enough. Nothing
 * uses what is on its way before it is put there, or all would wait. With it come the reciprocals
 * of the diagonal, because the STRIP divisions of a strip are a chain. X is copied by way of the
 * same memory, along its columns with ALONG_ROWS. T is used as it is, without an inverse. */
#include "number.h"

#ifndef ROWS
#define ROWS 256
#define OWN 2
#define UNIT_DIAGONAL 0
#define ALONG_ROWS 1 /* x_row is 1 or -1 */
#endif
#define STRIP 8
#define ACROSS 8 /* work-items across a strip */
#define COLUMNS (ACROSS * OWN)
#define GROUP (ROWS / STRIP * ACROSS)
#define LD (ROWS + 4) /* spreads a row of T over the banks, and is whole vectors */
#define TILES 3

typedef real lanes;
#include "triangle_values.h"

#ifdef COMPLEX
#define VALUES(from) {(from).x, (from).y}
#define NUMBER(value) (number)((value).re, (value).im)
#else
#define VALUES(from) {from}
#define NUMBER(value) (value).re
#endif

/* Between 2^-60 and 2^60, reciprocals and quotients are normal numbers. */
#define LARGE ((real)(1UL << 60))
#define IS_MODERATE(value) (fabs(value) <= LARGE && fabs(value) * LARGE >= 1)

/* For quick divisions by t; 0 if there are none. */
static inline number reciprocal(const number t) {
#ifdef COMPLEX
    return 0;
#else
    return IS_MODERATE(t) ? 1 / t : 0;
#endif
}

/* x / t without a branch, as good as a division's result if x is moderate or 0: the product with
 * the reciprocal, corrected once by the remainder (Markstein, Computation of elementary functions
 * on the IBM RISC System/6000, 1990). */
#ifdef COMPLEX
#define QUICK_QUOTIENT(x, t, inverse) (x)
#define IS_FOR_QUICK(x, inverse) false
#else
static inline values quick_quotient(values x, const number t, const number inverse) {
    const real guess = x.re * inverse;
    x.re = fma(fma(-guess, t, x.re), inverse, guess);
    return x;
}
#define QUICK_QUOTIENT(x, t, inverse) quick_quotient(x, t, inverse)
#define IS_FOR_QUICK(x, inverse) ((inverse) != 0 && (IS_MODERATE((x).re) || (x).re == 0))
#endif

/* Tiles of T: element (i, k) of one, -T but for the diagonal. And X on its way. */
#define T_AT(tile, i, k) memory[((tile) * STRIP + (k)) * LD + (i)]
#define X_AT(i, j) memory[(j) * (ROWS + 1) + (i)]
#define TILES_SIZE (TILES * STRIP * LD)
#define X_SIZE (COLUMNS * (ROWS + 1))

/* Solves a strip of one column. Before each division is done what CHECK says. */
#define SUBSTITUTE(x, t, CHECK, QUOTIENT)                 \
    _Pragma("unroll") for (int k = 0; k < STRIP; k++) {   \
        CHECK;                                            \
        if (!UNIT_DIAGONAL)                               \
            x[k] = QUOTIENT;                              \
        _Pragma("unroll") for (int r = k + 1; r < STRIP; r++) { \
            ADD_TIMES(x[r], t[r][k], x[k]);               \
        }                                                 \
    }

/* Element n of X's that a work-item copies. */
#define X_COPIED (ROWS * COLUMNS / GROUP)
#define X_ROW(n) (ALONG_ROWS ? (item + n * GROUP) % ROWS : (item + n * GROUP) / COLUMNS)
#define X_COLUMN(n) (ALONG_ROWS ? (item + n * GROUP) / ROWS : (item + n * GROUP) % COLUMNS)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
clg_triangle_solve(const int rows, const int cols, const number alpha,
                   const __global element *restrict a, const long a_offset, const long a_row,
                   const long a_col BATCH_STRIDE(a) SIGN_ARG(a), __global element *x,
                   const long x_offset, const long x_row,
                   const long x_col BATCH_STRIDE(x) BATCH_ARGS) {
    __local number memory[TILES_SIZE > X_SIZE ? TILES_SIZE : X_SIZE] __attribute__((aligned(64)));
    __local number solved[2][STRIP][COLUMNS] __attribute__((aligned(64)));
    __local number inverse[TILES][STRIP]; /* of the diagonal; see reciprocal() */
    const int item = get_local_id(0), strips = (rows + STRIP - 1) / STRIP;
    const int mine = item / ACROSS, column = item % ACROSS * OWN, j0 = (int)GROUP_ID * COLUMNS;
    __global element *at = x + x_offset + PRODUCT_OF(x) + j0 * x_col;

    /* A work-item copies STRIP elements of a tile of T, along T's columns if those are contiguous:
     * GROUP is ROWS. */
    const bool down = a_row == 1 || a_row == -1;
    const int row0 = down ? item : item / STRIP, next_row = down ? 0 : GROUP / STRIP;
    const int k0 = down ? 0 : item % STRIP, next_k = down ? 1 : 0;
    const long next = next_row * a_row + next_k * a_col;
    const long next_tile = STRIP * a_col - STRIP * next;
    const __global element *from = a + a_offset + PRODUCT_OF(a) + row0 * a_row + k0 * a_col;
    number fetched[STRIP], divisor;
    int diagonal; /* the column of `divisor` in its tile; -1: none */

#define FETCH(strip)                                                                     \
    _Pragma("unroll") for (int n = 0; n < STRIP; n++) {                                  \
        const int i = row0 + n * next_row, k = (strip) * STRIP + k0 + n * next_k;        \
        fetched[n] = i == k ? ONE : (number)0;                                           \
        if (i < rows && k < i + !UNIT_DIAGONAL)                                          \
            fetched[n] = LOAD(from, 0);                                                  \
        from += next;                                                                    \
    }                                                                                    \
    from += next_tile
#define PUT(tile, strip)                                                                 \
    diagonal = -1;                                                                       \
    _Pragma("unroll") for (int n = 0; n < STRIP; n++) {                                  \
        const int i = row0 + n * next_row, k = k0 + n * next_k;                          \
        const number t = SIGNED(a, fetched[n]);                                          \
        const bool on_diagonal = i == (strip) * STRIP + k;                               \
        T_AT(tile, i, k) = on_diagonal ? t : -t;                                         \
        if (on_diagonal) {                                                               \
            diagonal = k;                                                                \
            divisor = t;                                                                 \
        }                                                                                \
    }                                                                                    \
    if (!UNIT_DIAGONAL && diagonal >= 0) /* all that have one, at the same time */       \
        inverse[tile][diagonal] = reciprocal(divisor)

    FETCH(0);
#pragma unroll
    for (int n = 0; n < X_COPIED; n++) {
        const int i = X_ROW(n), j = X_COLUMN(n);
        number value = 0;
        if (i < rows && j0 + j < cols)
            value = LOAD(at, i * x_row + j * x_col);
        X_AT(i, j) = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    values own[STRIP][OWN];
#pragma unroll
    for (int r = 0; r < STRIP; r++)
#pragma unroll
        for (int c = 0; c < OWN; c++) {
            const values value = VALUES(X_AT(mine * STRIP + r, column + c));
            own[r][c] = value;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    PUT(0, 0);
    FETCH(1);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int s = 0, tile = 0; s < strips; s++) {
        const int later = tile == TILES - 1 ? 0 : tile + 1;
        __local number(*strip)[COLUMNS] = solved[s & 1];
        PUT(later, s + 1);
        FETCH(s + 2);
        if (mine == s) {
            number t[STRIP][STRIP], by[STRIP]; /* read before the chain, which would wait */
#pragma unroll
            for (int k = 0; k < STRIP; k++) {
                by[k] = inverse[tile][k];
#pragma unroll
                for (int r = k; r < STRIP; r++)
                    t[r][k] = T_AT(tile, s * STRIP + r, k);
            }
#pragma unroll
            for (int c = 0; c < OWN; c++) {
                values x[STRIP];
                bool quick = true;
#pragma unroll
                for (int k = 0; k < STRIP; k++)
                    x[k] = own[k][c];
                SUBSTITUTE(x, t, quick = quick && IS_FOR_QUICK(x[k], by[k]),
                           QUICK_QUOTIENT(x[k], t[k][k], by[k]));
                if (!UNIT_DIAGONAL && !quick) {
#pragma unroll
                    for (int k = 0; k < STRIP; k++)
                        x[k] = own[k][c];
                    SUBSTITUTE(x, t, , quotient(x[k], t[k][k]));
                }
#pragma unroll
                for (int k = 0; k < STRIP; k++) {
                    own[k][c] = x[k];
                    strip[k][column + c] = NUMBER(x[k]);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (mine > s) {
#pragma unroll
            for (int k = 0; k < STRIP; k++)
#pragma unroll
                for (int c = 0; c < OWN; c++) {
                    const values value = VALUES(strip[k][column + c]);
#pragma unroll
                    for (int r = 0; r < STRIP; r++) {
                        ADD_TIMES(own[r][c], T_AT(tile, mine * STRIP + r, k), value);
                    }
                }
        }
        tile = later;
    }

    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int r = 0; r < STRIP; r++)
#pragma unroll
        for (int c = 0; c < OWN; c++)
            X_AT(mine * STRIP + r, column + c) = NUMBER(own[r][c]);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 2 /* or the addresses of all would be kept in registers */
    for (int n = 0; n < X_COPIED; n++) {
        const int i = X_ROW(n), j = X_COLUMN(n);
        if (i < rows && j0 + j < cols)
            STORE(at, i * x_row + j * x_col, scaled(alpha, X_AT(i, j)));
    }
}
