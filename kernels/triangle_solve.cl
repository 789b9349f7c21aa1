/* SPDX-License-Identifier: Apache-2.0
 * X := alpha * inv(T) * X for a block T of at most ROWS x ROWS, lower triangular: a step of trsm on
 * GPUs, for as many rows as a work-group can have in registers.
 *
 *           k             COLUMNS           T(i, k) = a[i * a_row + k * a_col], used only where
 *    +------+---------+    +---+            i >= k, with UNIT_DIAGONAL only where i > k, though
 *    |\     |         |    |   |            some of the square's other elements are read
 *    | \    |         |    |   |
 *    +--+---+         |    +---+            X(i, j) = x[i * x_row + j * x_col]
 *    |  |\ t|         |    | s | STRIP
 *    |  |:\ |         |    +---+            Strides may be negative: an upper triangular T is a
 *    |  |::\|         |    |:::|            lower one from its end.
 *    |  |:::|\        |    |:::|
 *    +--+---+---------+    +---+
 *
 * A work-item has STRIP rows of OWN columns of X. Those that have rows below strip s subtract from
 * them T's columns of strip s - 1 times that strip. Meanwhile as many work-items as there are
 * columns, one for each, do the same to strip s and then divide it by its triangle t. So nothing
 * waits for the divisions, which are a chain, and one barrier a strip is enough. A strip goes to
 * them and back through local memory, where three places take turns.
 *
 * T's columns have three places, too: those of strip s - 1 are multiplied, those of strip s have the
 * triangle, and the next ones are on their way from global memory to the third place. When they are
 * there, some work-items compute the reciprocals of the next triangle's diagonal. X is copied by way
 * of the same memory, WIDTH columns at a time, along them with ALONG_ROWS. T is used as it is,
 * without an inverse. */
#include "number.h"

#ifndef ROWS
#define ROWS 256
#define OWN 4
#define UNIT_DIAGONAL 0
#define ALONG_ROWS 1 /* x_row is 1 or -1 */
#define T_ALONG_ROWS 1 /* a_row is 1 or -1 */
#define AHEAD 1 /* triangles are read before their divisions, which would wait */
#endif
#define STRIP 8
#define ACROSS 8 /* work-items across a strip */
#define COLUMNS (ACROSS * OWN)
#define BESIDE (OWN < 2 ? OWN : 2) /* a work-item's columns that lie side by side */
#define WIDTH (ACROSS * BESIDE)
#define COLUMN(c) ((c) / BESIDE * WIDTH + item % ACROSS * BESIDE + (c) % BESIDE)
#define GROUP (ROWS / STRIP * ACROSS)
#define BLOCK 32 /* work-items that copy as many rows of T */
#define LD (ROWS + 4) /* spreads a row of T over the banks, and is whole vectors */
#define PLACES 3

typedef real lanes;
#include "triangle_values.h"

#ifdef COMPLEX
#define PARTS 2
#define QUICK 0
#define VALUES(from) {(from).x, (from).y}
#define NUMBER(value) (number)((value).re, (value).im)
#else
#define PARTS 1
#define QUICK (!UNIT_DIAGONAL) /* see quick_quotient() */
#define VALUES(from) {from}
#define NUMBER(value) (value).re
#endif

/* Columns of T in an unrolled loop: more complex doubles would spill. */
#if PARTS == 2 && GLUE(IS_DOUBLE_, REAL)
#define AT_A_TIME 2
#else
#define AT_A_TIME STRIP
#endif

/* T's columns in a place; and X on its way. */
#define T_AT(place, i, k) memory[((place) * STRIP + (k)) * LD + (i)]
#define X_AT(i, j) memory[(j) * (ROWS + 1) + (i)]

/* Solves a strip of one column. BEFORE is done before each division. */
#define SUBSTITUTE(x, T, BEFORE, QUOTIENT)                \
    _Pragma("unroll") for (int k = 0; k < STRIP; k++) {   \
        BEFORE;                                           \
        if (!UNIT_DIAGONAL)                               \
            x[k] = QUOTIENT;                              \
        _Pragma("unroll") for (int r = k + 1; r < STRIP; r++) { \
            SUBTRACT_TIMES(x[r], T(r, k), x[k]);          \
        }                                                 \
    }

/* Real numbers are divided quickly where reciprocals and quotients are normal numbers: if divisors
 * and dividends are between 2^-60 and 2^60, or a dividend is 0. */
#if QUICK
#define LARGE ((real)(1UL << 60))

/* 0 if there is none for quick divisions. */
static inline real reciprocal(const real t) {
    return fabs(t) <= LARGE && fabs(t) * LARGE >= 1 ? 1 / t : 0;
}

/* As good as a division's result: the product with the reciprocal, corrected once by the remainder
 * (Markstein, Computation of elementary functions on the IBM RISC System/6000, 1990). */
static inline values quick_quotient(values x, const real t, const real inverse) {
    const real guess = x.re * inverse;
    x.re = fma(fma(-guess, t, x.re), inverse, guess);
    return x;
}
#endif

/* Element n of those of WIDTH columns that a work-item copies. */
#define X_COPIED (ROWS * WIDTH / GROUP)
#define X_ROW(n) ROW_OF(item + n * GROUP, ROWS, WIDTH)
#define X_COLUMN(n) COLUMN_OF(item + n * GROUP, ROWS, WIDTH)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
clg_triangle_solve(const int rows, const int cols, const number alpha,
                   const __global element *restrict a, const long a_offset, const long a_row,
                   const long a_col BATCH_STRIDE(a) SIGN_ARG(a), __global element *x,
                   const long x_offset, const long x_row,
                   const long x_col BATCH_STRIDE(x) BATCH_ARGS) {
    __local number memory[PLACES * STRIP * LD] __attribute__((aligned(64)));
    __local number handed[PLACES][STRIP][COLUMNS] __attribute__((aligned(64)));
#if QUICK
    __local real inverse[2][STRIP]; /* of the diagonal; see reciprocal() */
#endif
    const int item = get_local_id(0), strips = (rows + STRIP - 1) / STRIP;
    const int mine = item / ACROSS, j0 = (int)GROUP_ID * COLUMNS;
    __global element *at = x + x_offset + PRODUCT_OF(x) + j0 * x_col;

    /* A work-item copies STRIP elements of T at a time, along T's columns or rows. BLOCK of them copy
     * as many rows, until those are above the strip and not used any more. */
    const int in_block = item % BLOCK, block = item - in_block;
    const int row0 = block + (T_ALONG_ROWS ? in_block : in_block / STRIP);
    const int k0 = T_ALONG_ROWS ? 0 : in_block % STRIP;
    const int next_row = T_ALONG_ROWS ? 0 : BLOCK / STRIP, next_k = T_ALONG_ROWS ? 1 : 0;
    const long next = next_row * a_row + next_k * a_col;
    const __global element *corner = a + a_offset + PRODUCT_OF(a);
    const __global element *from = corner + row0 * a_row + k0 * a_col;
    number fetched[STRIP] = {0};

#define IS_USED(strip) (block + BLOCK > (strip) * STRIP)
#define FETCH(strip)                                                                     \
    if (IS_USED(strip))                                                                  \
    _Pragma("unroll") for (int n = 0; n < STRIP; n++) {                                  \
        const int i = row0 + n * next_row, k = (strip) * STRIP + k0 + n * next_k;        \
        if (rows == ROWS || (i < rows && k < rows))                                      \
            fetched[n] = LOAD(from, n * next);                                           \
    }                                                                                    \
    from += STRIP * a_col
#define PUT(place, strip)                                                                \
    if (IS_USED(strip))                                                                  \
    _Pragma("unroll") for (int n = 0; n < STRIP; n++)                                    \
        T_AT(place, row0 + n * next_row, k0 + n * next_k) = SIGNED(a, fetched[n])
#if QUICK
    /* All load an element of the diagonal, because a branch would wait for it. STRIP work-items that
     * solve nothing, if there are so many, compute the reciprocals. Those past the rows are the last
     * one's, so that 0 can be divided by them quickly. */
    const int diagonal = item - GROUP / 4;
    real divisor;
#define FETCH_DIVISOR(strip)                                                             \
    divisor = LOAD(corner, min((strip) * STRIP + item % STRIP, rows - 1) * (a_row + a_col))
#define PUT_INVERSE(strip)                                                               \
    if (0 <= diagonal && diagonal < STRIP)                                               \
        inverse[(strip) & 1][diagonal] = reciprocal(divisor)
#else
#define FETCH_DIVISOR(strip)
#define PUT_INVERSE(strip)
#endif
/* What a work-item has of a strip. */
#define HAND_OVER(place)                                                                 \
    _Pragma("unroll") for (int k = 0; k < STRIP; k++)                                    \
        _Pragma("unroll") for (int c = 0; c < OWN; c++)                                  \
            handed[place][k][COLUMN(c)] = NUMBER(own[k][c])
#define TAKE_BACK(place)                                                                 \
    _Pragma("unroll") for (int k = 0; k < STRIP; k++)                                    \
        _Pragma("unroll") for (int c = 0; c < OWN; c++) {                                \
            const values value = VALUES(handed[place][k][COLUMN(c)]);                    \
            own[k][c] = value;                                                           \
        }
/* Of the triangle of strip s, and its reciprocals. */
#define T_OF_STRIP(r, k) T_AT(now, s * STRIP + (r), k)
#if AHEAD
#define T_READ(r, k) t[r][k]
#define INVERSE_READ(k) by[k]
#else
#define T_READ T_OF_STRIP
#define INVERSE_READ(k) inverse[s & 1][k]
#endif
    FETCH(0);
    FETCH_DIVISOR(0);
    values own[STRIP][OWN];
#pragma unroll
    for (int c0 = 0; c0 < OWN; c0 += BESIDE) {
        const int first = c0 * ACROSS;
#pragma unroll
        for (int n = 0; n < X_COPIED; n++) {
            const int i = X_ROW(n), j = first + X_COLUMN(n);
            number value = 0;
            if (i < rows && j0 + j < cols)
                value = LOAD(at, i * x_row + j * x_col);
            X_AT(i, j - first) = value;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int r = 0; r < STRIP; r++)
#pragma unroll
            for (int c = c0; c < c0 + BESIDE; c++) {
                const values value = VALUES(X_AT(mine * STRIP + r, COLUMN(c) - first));
                own[r][c] = value;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    PUT(0, 0);
    PUT_INVERSE(0);
    if (mine == 0)
        HAND_OVER(0);
    barrier(CLK_LOCAL_MEM_FENCE);

    int before = PLACES - 1;
    for (int s = 0, now = 0; s < strips; s++) {
        const int later = now == PLACES - 1 ? 0 : now + 1;
        FETCH(s + 1);
        FETCH_DIVISOR(s + 1);
        if (item < COLUMNS) {
            values solved[STRIP];
#pragma unroll
            for (int k = 0; k < STRIP; k++) {
                const values value = VALUES(handed[now][k][item]);
                solved[k] = value;
            }
            if (s > 0)
#pragma unroll AT_A_TIME
                for (int k = 0; k < STRIP; k++) {
                    const values value = VALUES(handed[before][k][item]);
#pragma unroll
                    for (int r = 0; r < STRIP; r++) {
                        SUBTRACT_TIMES(solved[r], T_AT(before, s * STRIP + r, k), value);
                    }
                }
#if QUICK
#if AHEAD
            real t[STRIP][STRIP], by[STRIP];
#pragma unroll
            for (int k = 0; k < STRIP; k++) {
                by[k] = inverse[s & 1][k];
#pragma unroll
                for (int r = k; r < STRIP; r++)
                    t[r][k] = T_OF_STRIP(r, k);
            }
#endif
#pragma unroll
            for (int k = 0; k < STRIP; k++)
                handed[now][k][item] = solved[k].re; /* if true divisions are needed */
            /* Bounds are compared after the chain, or comparisons would be a longer one. */
            real largest = 0, least = 1;
            SUBSTITUTE(solved, T_READ, largest = fmax(largest, fabs(solved[k].re));
                       least = fmin(least, solved[k].re == 0 ? 1 : fabs(solved[k].re)),
                       quick_quotient(solved[k], T_READ(k, k), INVERSE_READ(k)));
            bool quick = largest <= LARGE && least * LARGE >= 1;
#pragma unroll
            for (int k = 0; k < STRIP; k++)
                quick &= INVERSE_READ(k) != 0;
            if (!quick)
#pragma unroll 1
                for (int k = 0; k < STRIP; k++) {
                    const real x = handed[now][k][item] / T_OF_STRIP(k, k);
                    handed[now][k][item] = x;
                    for (int r = k + 1; r < STRIP; r++)
                        handed[now][r][item] -= T_OF_STRIP(r, k) * x;
                }
            if (quick)
#else
            SUBSTITUTE(solved, T_OF_STRIP, , quotient(solved[k], T_OF_STRIP(k, k)));
#endif
#pragma unroll
                for (int k = 0; k < STRIP; k++)
                    handed[now][k][item] = NUMBER(solved[k]);
        }
        if (mine == s - 1) {
            TAKE_BACK(before);
        }
        if (s > 0 && mine > s) {
#pragma unroll AT_A_TIME
            for (int k = 0; k < STRIP; k++)
#pragma unroll
                for (int c = 0; c < OWN; c++) {
                    const values value = VALUES(handed[before][k][COLUMN(c)]);
#pragma unroll
                    for (int r = 0; r < STRIP; r++) {
                        SUBTRACT_TIMES(own[r][c], T_AT(before, mine * STRIP + r, k), value);
                    }
                }
        }
        if (mine == s + 1)
            HAND_OVER(later);
        PUT(later, s + 1);
        PUT_INVERSE(s + 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        before = now;
        now = later;
    }
    if (mine == strips - 1) {
        TAKE_BACK(before);
    }

#pragma unroll
    for (int c0 = 0; c0 < OWN; c0 += BESIDE) {
        const int first = c0 * ACROSS;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int r = 0; r < STRIP; r++)
#pragma unroll
            for (int c = c0; c < c0 + BESIDE; c++)
                X_AT(mine * STRIP + r, COLUMN(c) - first) = NUMBER(own[r][c]);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 2 /* or the addresses of all would be kept in registers */
        for (int n = 0; n < X_COPIED; n++) {
            const int i = X_ROW(n), j = first + X_COLUMN(n);
            if (i < rows && j0 + j < cols)
                STORE(at, i * x_row + j * x_col, scaled(alpha, X_AT(i, j - first)));
        }
    }
}
