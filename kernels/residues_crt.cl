/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * op(A) * op(B) + beta * C from the residues of the scaled product, by the Chinese
 * remainder theorem (residues.h): the sum of residue times weight, less the multiple of P that
 * leaves it within P / 2. Weights are two doubles: sums of the first ones' products are exact, and
 * what is rounded in the others is far below 1. BY_WORDS they are seven words of 16 bits, whose sums
 * make one of 128 bits.
 *
 * A work-item has one or two pairs of rows in one or two columns, in the order in which the product
 * leaves residues. Elements of tiles that are left out are not written. */
#include "ptx.h"
#include "residues.h"
#include "residues_number.h"
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

#if BY_WORDS
typedef int weight[LIMBS];
static __constant weight weights[ROUNDS * AHEAD] = {LIMBS_OF_WEIGHTS}; /* zeros behind the last */
#if GAUSSIAN
static __constant weight weights_y[ROUNDS * AHEAD] = {LIMBS_OF_WEIGHTS_Y};
#endif

/* Of an element: the residues' sums with each limb of the weights. */
struct sums {
    int limb[LIMBS];
};

/* A residue times its weight. `biased` is `bias` more, and not negative. */
static inline void add_residue(struct sums *sums, const uint biased, const int bias,
                               const __constant weight *of) {
    const int residue = (int)biased - bias;
#pragma unroll
    for (int l = 0; l < LIMBS; l++)
        sums->limb[l] += residue * (*of)[l];
}

/* The number with these residues, times 2^exponent: the sum less the nearest multiple of P. */
static real number_of(const struct sums *sums, const int exponent) {
    const float of_upper = (float)sums->limb[6] * 0x1p16f + (float)sums->limb[5] +
                           (float)sums->limb[4] * 0x1p-16f; /* in 2^80 */
    const int quotient = (int)rint(of_upper * P_INVERSE_80);
    const ulong times = (ulong)abs(quotient), lower = times * P_LOWER;
    const ulong upper = times * P_UPPER + mul_hi(times, P_LOWER);
    ulong words[2] = {0, 0};
    long carry = 0;
#pragma unroll
    for (int l = 0; l < 8; l++) {
        carry += l < LIMBS ? sums->limb[l] : 0;
        words[l / 4] |= (ulong)(carry & 65535) << 16 * (l % 4);
        carry >>= 16;
    }
    ulong2 rest = quotient > 0 ? (ulong2)(words[1] - upper - (words[0] < lower), words[0] - lower)
                               : (ulong2)(words[1] + upper + (words[0] + lower < lower), words[0] + lower);
    bool negative = rest.x >> 63;
    if (negative)
        rest = (ulong2)(~rest.x + (rest.y == 0), -rest.y);
    if (rest.x > P_UPPER / 2) { /* the quotient was off by one */
        rest = (ulong2)(P_UPPER - rest.x - (P_LOWER < rest.y), P_LOWER - rest.y);
        negative = !negative;
    }
    return rest.x | rest.y ? soft_rounded(rest, exponent, negative ? SOFT_SIGN : 0) : 0;
}

/* alpha x + beta c, without c if beta is 0. */
static real scaled_sum(const real alpha, const real x, const real beta, const __global real *c) {
    const real first = alpha == SOFT_ONE ? x : soft_fma(alpha, x, (alpha ^ x) & SOFT_SIGN);
    return beta & ~SOFT_SIGN ? soft_fma(beta, *c, first) : first;
}
#else
#define TO_INTEGER 0x1.8p52

typedef double2 weight;
static __constant weight weights[ROUNDS * AHEAD] = {WEIGHTS}; /* zeros behind the last */
#if GAUSSIAN
static __constant weight weights_y[ROUNDS * AHEAD] = {WEIGHTS_Y};
#endif

struct sums {
    double high, low;
};

/* A residue times its weight. `biased` is `bias` more: put below 2^52, it is a double without a
 * conversion. */
static inline void add_residue(struct sums *sums, const uint biased, const int bias,
                               const __constant weight *of) {
    const double residue = as_double((ulong)0x43300000 << 32 | biased) - (0x1p52 + bias);
    sums->high = fma(residue, of->x, sums->high);
    sums->low = fma(residue, of->y, sums->low);
}

/* The number with these residues, times 2^exponent: the sum less the nearest multiple of P. */
static real number_of(const struct sums *sums, const int exponent) {
    const double quotient = fma(sums->high, P_INVERSE, TO_INTEGER) - TO_INTEGER;
    const double sum = fma(-quotient, P_HIGH, sums->high) + fma(-quotient, P_LOW, sums->low);
    const double2 back = scale_of(exponent);
    return sum * back.x * back.y;
}

/* alpha x + beta c, without c if beta is 0. */
static real scaled_sum(const real alpha, const real x, const real beta, const __global real *c) {
    return beta != 0 ? fma(beta, *c, alpha * x) : alpha * x;
}
#endif

/* A work-item's elements: pairs of rows in each of its columns, and their bytes of a modulus. With
 * more, whole numbers would not fit the registers of Intel's. */
#if BY_WORDS
#define COLUMNS 1
#define PAIRS 1
typedef ushort bytes_each;
#define WORD(bytes, e) (bytes)
#elif GAUSSIAN
#define COLUMNS 2 /* eight apart, as are the pairs */
#define PAIRS 1
typedef uint bytes_each;
#define WORD(bytes, e) (bytes)
#else
#define COLUMNS 2
#define PAIRS 2
typedef uint2 bytes_each;
#define WORD(bytes, e) ((e) < 4 ? (bytes).x : (bytes).y)
#endif
#define EACH (2 * PAIRS * COLUMNS)
#define BYTE(bytes, e) (WORD(bytes, e) >> 8 * ((e) % 4) & 255)
#define CHUNKS (8 / (PAIRS * COLUMNS)) /* of the product's 16 bytes */

/* The first of them, relative to the tile's corner. */
static int2 first_of(const int place) {
#if BY_WORDS
    return (int2)(place % (TILE_M / 2) * 2, place / (TILE_M / 2));
#else
    const int chunk = place % CHUNKS, item = place / CHUNKS % 128;
    const int strip = place / (128 * CHUNKS) % (TILE_M / 32), block = place / (4 * CHUNKS * TILE_M);
    return (int2)(strip * 32 + chunk * (32 / CHUNKS) + item % 4 * 2,
                  block * 64 + item / 32 * 16 + item % 32 / 4);
#endif
}

/* Whether the row is in a tile of `tile` that has one left out. */
static bool is_left(const __global uchar *units, const int row, const int rows, const int tile,
                    const int grain) {
    const int begin = (rows - 1) / tile * tile;
    const int last = grain > 0 ? begin_inside(begin, rows, tile, grain) : begin;
    return some_left_out(units, row >= last ? last : row / tile * tile, tile, rows);
}

#if GAUSSIAN
static void write_pair(__global real *to, const real x, const real y) {
    if (VEC_C == 2)
        *(__global real2 *)to = (real2)(x, y);
    else {
        to[0] = x;
        to[1] = y;
    }
}
#endif

/* Notes that the work-item's columns are left out. */
static void leave_out(__global uchar *units, const int column, const int stored) {
    for (int j = column; j < min(column + 8 * COLUMNS, stored); j += 8)
        units[j / UNIT] = 1;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
clg_residues_crt(const int m, const int n, const int first, const int columns, const int stored,
                 const real alpha, const real beta, const __global uchar *restrict residues,
                 __global int *restrict scales,
                 __global real *restrict c, const long c_offset, const long ldc) {
    enum { SHARES = TILE_M * TILE_N / EACH };
    const int tiles_m = (m / PARTS + TILE_M - 1) / TILE_M;
    const int tiles_n = (columns / PARTS + TILE_N - 1) / TILE_N;
    const long id = (long)get_group_id(0) * GROUP + get_local_id(0);
    const long plane = (long)tiles_m * tiles_n * SHARES;
    const int tile = (int)(id / SHARES), place = (int)(id % SHARES);
    const int2 at = tile_corner(tile, tiles_m, tiles_n) + first_of(place);
    const int row = at.x, column = at.y;
    const int rest = REST(scales, m, n);
    if (row >= m / PARTS || column >= stored / PARTS)
        return;
    if (FAILED(scales, m, n) == first) {
        leave_out((__global uchar *)UNITS_B(scales, m, n) + first / UNIT, column, stored);
        return;
    }
    const __global bytes_each *from = (const __global bytes_each *)residues + id;
    struct sums sums[PARTS][EACH];
    bytes_each next[AHEAD][PARTS];
#pragma unroll
    for (int e = 0; e < PARTS * EACH; e++)
        sums[e / EACH][e % EACH] = (struct sums){0};
#pragma unroll
    for (int i = 0; i < AHEAD * PARTS; i++)
        next[i / PARTS][i % PARTS] = from[i * plane];
#pragma unroll 1
    for (int modulus = 0; modulus < ROUNDS * AHEAD; modulus += AHEAD) {
        bytes_each now[AHEAD][PARTS];
#pragma unroll
        for (int i = 0; i < AHEAD * PARTS; i++) {
            now[i / PARTS][i % PARTS] = next[i / PARTS][i % PARTS];
            if (modulus + AHEAD + i / PARTS < MODULI)
                next[i / PARTS][i % PARTS] = from[((modulus + AHEAD) * PARTS + i) * plane];
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
#pragma unroll
            for (int e = 0; e < EACH; e++) {
#if GAUSSIAN
                const uint x = BYTE(now[i][0], e), y = BYTE(now[i][1], e);
                add_residue(&sums[0][e], x + y, 256, &weights[modulus + i]);
                add_residue(&sums[1][e], x + 256 - y, 256, &weights_y[modulus + i]);
#else
                add_residue(&sums[0][e], BYTE(now[i][0], e), 128, &weights[modulus + i]);
#endif
            }
        }
    }

#pragma unroll
    for (int j = 0; j < COLUMNS; j++) {
        const int own_column = column + 8 * j;
        if (own_column >= stored / PARTS ||
            (rest && is_left(UNITS_B(scales, m, n), first + own_column * PARTS, n, STRICT_N, GRAIN_N)))
            continue;
        const int exponent = EXPONENTS_B(scales, m, n)[first + own_column * PARTS];
#pragma unroll
        for (int i = 0; i < PAIRS; i++) {
            const int own_row = row + 8 * i;
            __global real *to = c + c_offset + own_column * PARTS * ldc + own_row * PARTS;
            real x[2];
#if GAUSSIAN
#pragma unroll
            for (int f = 0; f < 2; f++, to += 2) {
                const int real_row = 2 * (own_row + f), e = 2 * j + f;
                if (real_row >= m || (rest && is_left(UNITS_A(scales, m, n), real_row, m, STRICT_M, GRAIN_M)))
                    continue;
                const int back = -(EXPONENTS_A(scales, m, n)[real_row] + exponent);
                x[0] = scaled_sum(alpha, number_of(&sums[0][e], back), beta, to);
                x[1] = scaled_sum(alpha, number_of(&sums[1][e], back), beta, to + 1);
                write_pair(to, x[0], x[1]);
                write_pair(to + ldc, 0, 0);
            }
#else
            bool writes[2];
#pragma unroll
            for (int f = 0; f < 2; f++) {
                const int e = 4 * i + 2 * j + f;
                writes[f] = own_row + f < m &&
                            !(rest && is_left(UNITS_A(scales, m, n), own_row + f, m, STRICT_M, GRAIN_M));
                if (!writes[f])
                    continue;
                x[f] = scaled_sum(alpha,
                                  number_of(&sums[0][e], -(EXPONENTS_A(scales, m, n)[own_row + f] + exponent)),
                                  beta, to + f);
            }
            if (VEC_C == 2 && writes[0] && writes[1])
                *(__global real2 *)to = (real2)(x[0], x[1]);
            else {
                if (writes[0])
                    to[0] = x[0];
                if (writes[1])
                    to[1] = x[1];
            }
#endif
        }
    }
}
