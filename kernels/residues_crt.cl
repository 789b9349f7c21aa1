/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * op(A) * op(B) + beta * C from the residues of the scaled product, by the Chinese
 * remainder theorem (residues.h): the sum of residue times weight, less the multiple of P that
 * leaves it within P / 2. Weights are two doubles: sums of the first ones' products are exact, and
 * what is rounded in the others is far below 1.
 *
 * A work-item has four rows of two columns, in the order in which the product leaves residues.
 * Elements of tiles that are left out are not written. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#include "ptx.h"
#include "residues.h"
#include "residues_table.h"

#ifndef TILE_M
#define TILE_M 192
#define TILE_N 256
#define BAND_M 8
#define VEC_C 1
#endif
#ifndef STRICT_M /* tiles of the kernel that computes what is left out */
#define STRICT_M 128
#define STRICT_N 128
#define GRAIN_M 1 /* tile_inside.h; 0: tiles reach past C */
#define GRAIN_N 1
#endif

#include "tile_inside.h"
#include "tile_order.h"

#define GROUP 128
#define AHEAD 4 /* moduli whose residues are on their way while as many are added */
#define ROUNDS ((MODULI + AHEAD - 1) / AHEAD)
#define TO_INTEGER 0x1.8p52

static __constant double2 weights[ROUNDS * AHEAD] = {WEIGHTS}; /* zeros behind the last */

/* Byte `i` of a word, less 128: put below 2^52, it is a double without a conversion. */
static double residue_in(const uint word, const int i) {
    return as_double((ulong)0x43300000 << 32 | (word >> 8 * i & 255)) - (0x1p52 + 128);
}

/* Of a work-item's elements: the steps between its two columns and its two pairs of rows, and the
 * place of row `f` of pair `i` in column `j`. */
#if BY_WORDS
#define NEXT_COLUMN 1
#define NEXT_PAIR 2
#define PLACE(i, j, f) (4 * (j) + 2 * (i) + (f))
#else
#define NEXT_COLUMN 8
#define NEXT_PAIR 8
#define PLACE(i, j, f) (4 * (i) + 2 * (j) + (f))
#endif

/* The first of them, relative to the tile's corner. */
static int2 first_of(const int place) {
    const int item = place / 2 % 128, strip = place / 256 % (TILE_M / 32), block = place / (8 * TILE_M);
    return BY_WORDS ? (int2)(place % (TILE_M / 4) * 4, place / (TILE_M / 4) * 2)
                    : (int2)(strip * 32 + place % 2 * 16 + item % 4 * 2,
                             block * 64 + item / 32 * 16 + item % 32 / 4);
}

/* Whether the row is in a tile of `tile` that has one left out. */
static bool is_left(const __global uchar *units, const int row, const int rows, const int tile,
                    const int grain) {
    const int begin = (rows - 1) / tile * tile;
    const int last = grain > 0 ? begin_inside(begin, rows, tile, grain) : begin;
    return some_left_out(units, row >= last ? last : row / tile * tile, tile);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
clg_residues_crt(const int m, const int n, const double alpha, const double beta,
                 const __global uchar *restrict residues, const __global int *restrict scales,
                 __global double *restrict c, const long c_offset, const long ldc) {
    enum { PAIRS = TILE_M * TILE_N / 8 };
    const int tiles_m = (m + TILE_M - 1) / TILE_M, tiles_n = (n + TILE_N - 1) / TILE_N;
    const long id = (long)get_group_id(0) * GROUP + get_local_id(0);
    const long plane = (long)tiles_m * tiles_n * PAIRS;
    const int tile = (int)(id / PAIRS), place = (int)(id % PAIRS);
    const int2 first = tile_corner(tile, tiles_m, tiles_n) + first_of(place);
    const int row = first.x, column = first.y;
    const int rest = REST(scales, m, n);
    if (row >= m || column >= n || rest == ALL)
        return;
    const __global uint2 *from = (const __global uint2 *)residues + id;
    double high[8], low[8];
    uint2 next[AHEAD];
#pragma unroll
    for (int e = 0; e < 8; e++)
        high[e] = low[e] = 0;
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        next[i] = from[i * plane];
#pragma unroll 1
    for (int modulus = 0; modulus < ROUNDS * AHEAD; modulus += AHEAD) {
        uint2 now[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            now[i] = next[i];
            if (modulus + AHEAD + i < MODULI)
                next[i] = from[(modulus + AHEAD + i) * plane];
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const double2 weight = weights[modulus + i];
#pragma unroll
            for (int e = 0; e < 8; e++) {
                const double residue = residue_in(e < 4 ? now[i].x : now[i].y, e % 4);
                high[e] = fma(residue, weight.x, high[e]);
                low[e] = fma(residue, weight.y, low[e]);
            }
        }
    }

#pragma unroll
    for (int j = 0; j < 2; j++) {
        const int own_column = column + NEXT_COLUMN * j;
        if (own_column >= n ||
            (rest && is_left(UNITS_B(scales, m, n), own_column, n, STRICT_N, GRAIN_N)))
            continue;
        const int exponent = EXPONENTS_B(scales, m, n)[own_column];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int own_row = row + NEXT_PAIR * i;
            __global double *to = c + c_offset + own_column * ldc + own_row;
            double x[2];
            bool writes[2];
#pragma unroll
            for (int f = 0; f < 2; f++) {
                const int e = PLACE(i, j, f);
                writes[f] = own_row + f < m &&
                            !(rest && is_left(UNITS_A(scales, m, n), own_row + f, m, STRICT_M, GRAIN_M));
                if (!writes[f])
                    continue;
                const double quotient = fma(high[e], P_INVERSE, TO_INTEGER) - TO_INTEGER;
                const double sum = fma(-quotient, P_HIGH, high[e]) + fma(-quotient, P_LOW, low[e]);
                const double2 back = scale_of(-(EXPONENTS_A(scales, m, n)[own_row + f] + exponent));
                x[f] = alpha * (sum * back.x * back.y);
                if (beta != 0)
                    x[f] = fma(beta, to[f], x[f]);
            }
            if (VEC_C == 2 && writes[0] && writes[1])
                *(__global double2 *)to = (double2)(x[0], x[1]);
            else {
                if (writes[0])
                    to[0] = x[0];
                if (writes[1])
                    to[1] = x[1];
            }
        }
    }
}
