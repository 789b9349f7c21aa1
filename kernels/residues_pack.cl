/* SPDX-License-Identifier: Apache-2.0
 * Scales op(A) and op(B), rounds them to integers and writes their residues (residues.h).
 *
 * A group has UNIT rows of one operand and a stage of k; a work-item has eight of the elements. It
 * reduces them by the product of a part of the moduli first, of at most 40 bits, and then by each.
 * Both steps are exact: the products with quotients are subtracted in one fused multiply-add, and
 * both numbers stay below 2^53. A quotient that is off by one next to a tie does not matter: a
 * remainder that is off by the modulus is of the same residue class. BY_WORDS: an integer's eight
 * bytes times their weights modulo p make a small number, which is reduced. */
#include "ptx.h"
#include "residues.h"
#include "residues_number.h"
#include "residues_table.h"

#ifndef TILE_M
#define TILE_M 192
#define TILE_N 256
#endif
#ifndef A_ALONG_K
#define A_ALONG_K 0
#define B_ALONG_K 1
#define A_VECTOR 1 /* along k: 2 if columns are aligned to vectors of two */
#define B_VECTOR 1
#endif
#ifndef CONJUGATED /* GAUSSIAN: B, to which A is relative */
#define CONJUGATED 0
#endif

#define EACH 8 /* GAUSSIAN: the first parts of four, then the second ones */

#if BY_WORDS
#define CERTIFICATE 0
#include "residues_sums.h"

typedef long integer;
static __constant int2 upper_folds[] = {UPPER_FOLDS};
#if GAUSSIAN
static __constant int4 root_folds[] = {ROOT_FOLDS};
#endif

/* x * 2^exponent, rounded to the nearest, ties to even; it is below 2^55. */
static long integer_of(const ulong x, const int exponent) {
    const struct soft number = soft_of(x);
    const int shift = number.exponent + exponent, right = clamp(-shift, 0, 63);
    const ulong whole = number.digits >> right, rest = number.digits - (whole << right);
    const ulong tie = right > 0 ? 1UL << (right - 1) : 1;
    const bool rounds_up = rest > tie || (rest == tie && (whole & 1));
    const long size = (long)(shift > 0 ? number.digits << min(shift, 2) : whole + rounds_up);
    return x & SOFT_SIGN ? -size : size;
}

static void write_residues(const long y[EACH], __global uint *to, __global uint *to_rest,
                           const bool adjoin, const long plane) {
#pragma unroll 1
    for (int number = 0; number < MODULI; number++) {
        const int4 fold = folds[number];
        const int2 upper = upper_folds[number];
        uint bytes[EACH];
#pragma unroll
        for (int e = 0; e < EACH / PARTS; e++) {
            const uint2 words = as_uint2(y[e]);
            const int of_upper = weighted(words.y ^ 0x80000000U, upper.x, upper.y);
            const int sum = weighted(words.x, fold.y, of_upper);
#if GAUSSIAN
            const int4 root = root_folds[number];
            const uint2 second = as_uint2(y[4 + e]);
            const int more = weighted(second.x, root.x, weighted(second.y ^ 0x80000000U, root.y, root.z));
            bytes[e] = reduced(sum + more, fold);
            bytes[4 + e] = reduced(sum - more, fold);
#else
            bytes[e] = reduced(sum, fold);
#endif
        }
        to[number * plane] = bytes_of(bytes[0], bytes[1], bytes[2], bytes[3]) ^ 0x80808080;
        to_rest[number * plane] = bytes_of(bytes[4], bytes[5], bytes[6], bytes[7]) ^ 0x80808080;
    }
}

/* Of y whose element of 2^peak would be 2^`to_peak`: seven bits, cut off. */
static uint magnitude_of(const long y, const int to_peak) {
    const ulong size = abs(y);
    return (uint)(to_peak > 7 ? size >> min(to_peak - 7, 63) : size << (7 - max(to_peak, 0)));
}
#else
typedef double integer;
#define TO_INTEGER 0x1.8p52 /* added, it leaves a rounded integer in the low word */

static inline uint low_word(const double x) {
    return as_uint2(x).x;
}

static double integer_of(const double x, const int exponent) {
    const double2 scale = scale_of(exponent);
    return rint(x * scale.x * scale.y);
}

/* Writes the residues of y[0 ... 3] to `to`, and those of y[4 ... 7] to `to_rest`, in each plane;
 * if they adjoin, behind them. */
static void write_residues(const double y[EACH], __global uint *to, __global uint *to_rest,
                           const bool adjoin, const long plane) {
    double rest[EACH];
    uint low[EACH];
#define PART(product, inverse)                                                        \
    _Pragma("unroll") for (int e = 0; e < EACH; e++) {                                \
        rest[e] = fma(fma(y[e], inverse, TO_INTEGER) - TO_INTEGER, -(product), y[e]); \
        low[e] = low_word(rest[e] + TO_INTEGER);                                      \
    }
#if GAUSSIAN
#define RESIDUE(e, p, inverse, root)             \
    (low[(e) % 4] + (uint)(root)*low[4 + (e) % 4] - \
     low_word(fma(fma((double)(root), rest[4 + (e) % 4], rest[(e) % 4]), inverse, TO_INTEGER)) * p)
#define MODULUS(number, p, inverse, root) WRITE(number, p, inverse, root, -(root))
#else
#define RESIDUE(e, p, inverse, root) \
    (p == 256 ? low[e] : low[e] - low_word(fma(rest[e], inverse, TO_INTEGER)) * p)
#define MODULUS(number, p, inverse) WRITE(number, p, inverse, 0, 0)
#endif
#define WRITE(number, p, inverse, root, rest_root)                                                      \
    {                                                                                                   \
        const uint x = bytes_of(RESIDUE(0, p, inverse, root), RESIDUE(1, p, inverse, root),             \
                                RESIDUE(2, p, inverse, root), RESIDUE(3, p, inverse, root));            \
        const uint z = bytes_of(RESIDUE(4, p, inverse, rest_root), RESIDUE(5, p, inverse, rest_root),   \
                                RESIDUE(6, p, inverse, rest_root), RESIDUE(7, p, inverse, rest_root));  \
        if (adjoin) {                                                                           \
            *(__global uint2 *)(to + (number)*plane) = (uint2)(x, z);                           \
        } else {                                                                                \
            to[(number)*plane] = x;                                                             \
            to_rest[(number)*plane] = z;                                                        \
        }                                                                                       \
    }
    REDUCE_ALL(PART, MODULUS)
}

/* Of y whose element of 2^peak would be 2^`to_peak`: seven bits, cut off. */
static uint magnitude_of(const double y, const int to_peak) {
    const double2 scale = scale_of(7 - to_peak);
    return (uint)(fabs(y) * scale.x * scale.y);
}
#endif

/* Writes eight magnitudes likewise. */
static void write_magnitudes(const integer y[EACH], __global uint *to, __global uint *to_rest,
                             const int to_peak, const int to_peak_rest) {
    uint bytes[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++)
        bytes[e] = magnitude_of(y[e], e < 4 ? to_peak : to_peak_rest);
    *to = bytes_of(bytes[0], bytes[1], bytes[2], bytes[3]);
    *to_rest = bytes_of(bytes[4], bytes[5], bytes[6], bytes[7]);
}

/* Where the stage of a tile with so many rows has byte `k` of a row, in words. */
static int word_of(const int tile, const int row, const int k) {
    return BY_WORDS ? k / 4 * tile + row : (row * ROW_BYTES + (k / 16 ^ (row & 7)) * 16 + k % 16) / 4;
}

/* The exponent by which a row is scaled; 0 if all its integers are 0. */
static int exponent_of(const __global int *exponents, const int row, const int rows) {
    return row < rows && exponents[row] != LEFT_OUT ? exponents[row] : 0;
}

/* Notes whether rows of the group's unit are left out. */
static void note_unit(__global uchar *units, __global int *rest, const __global int *exponents,
                      const int row0, const int rows) {
    bool some = row0 >= rows;
    for (int row = row0; row < min(row0 + UNIT, rows); row++)
        if (exponents[row] == LEFT_OUT) {
            some = true;
            *rest = SOME_TILES;
        }
    units[row0 / UNIT] = some;
}

#if BY_WORDS /* clang would call it for AMD, with registers saved in memory */
__attribute__((always_inline))
#endif
static void pack(const bool is_a, const bool along_k, const int vector, const int tile,
                 const __global real *x, const long ld, const int m, const int n, const int first,
                 const int rows, const int depth, const int group, __global int *scales,
                 __global uchar *packed) {
    const __global int *exponents =
        (is_a ? EXPONENTS_A(scales, m, n) : EXPONENTS_B(scales, m, n)) + first;
    const int stages = (depth + STAGE_K - 1) / STAGE_K;
    const int stage = group % stages, row0 = group / stages * UNIT, id = (int)get_local_id(0);
    const long plane = (long)((rows / PARTS + tile - 1) / tile) * stages * tile * (ROW_BYTES / 4);
    __global uint *to = (__global uint *)packed +
                        ((long)(row0 / PARTS / tile) * stages + stage) * tile * (ROW_BYTES / 4);
    integer y[EACH];
    if (stage == 0 && id == 0)
        note_unit((__global uchar *)(is_a ? UNITS_A(scales, m, n) : UNITS_B(scales, m, n)) +
                      first / UNIT,
                  &REST(scales, m, n), exponents, row0, rows);

#if GAUSSIAN
    /* Of words, eight neighbouring rows adjoin; else eight words of a row do. */
    const int from = (BY_WORDS ? id / 8 : id / 4 % (STAGE_K / 4)) * 4, k = stage * STAGE_K + from;
    const int row = row0 / 2 + (BY_WORDS ? id % 8 : id % 4 + id / STAGE_K * 4);
    const int exponent = exponent_of(exponents, 2 * row, rows);
    const bool has = 2 * row < rows && exponents[2 * row] != LEFT_OUT;
    const __global real *own = x + 2 * row + k * ld;
#pragma unroll
    for (int e = 0; e < 4; e++, own += ld) {
        const bool has_own = has && k + e < depth;
        y[e] = integer_of(has_own ? own[0] : 0, exponent);
        y[4 + e] = integer_of(has_own ? own[1] : 0, exponent);
    }
    const int second = row, second_exponent = exponent;
    const bool swaps = CONJUGATED && !is_a;
    __global uint *at = to + word_of(tile, row % tile, from) + (swaps ? plane : 0);
    __global uint *at_second = swaps ? at - plane : at + plane;
#else
    /* Along k a work-item has four elements of two rows, else eight of one. Of words, those of
     * neighbouring rows adjoin. */
    const int from = !along_k   ? id / 8 % (STAGE_K / EACH) * EACH
                     : BY_WORDS ? id / 8 * 4
                                : id % (STAGE_K / 4) * 4;
    const int row = row0 + (!along_k   ? id % 8 + id / STAGE_K * 8
                            : BY_WORDS ? id % 8
                                       : id / (STAGE_K / 4));
    const int second = along_k ? row + UNIT / 2 : row, k = stage * STAGE_K + from;
    const int exponent = exponent_of(exponents, row, rows);
    const int second_exponent = exponent_of(exponents, second, rows);
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int own_row = h ? second : row, own_k = along_k ? k : k + 4 * h;
        const int own_exponent = h ? second_exponent : exponent;
        const bool has = own_row < rows && exponents[own_row] != LEFT_OUT;
        const __global real *own = x + (along_k ? own_row * ld + own_k : own_row + own_k * ld);
        real4 of = 0;
        if (has && own_k + 3 < depth)
            of = !along_k      ? (real4)(own[0], own[ld], own[2 * ld], own[3 * ld])
                 : vector == 2 ? (real4)(*(const __global real2 *)own,
                                           *(const __global real2 *)(own + 2))
                               : vload4(0, own);
        else if (has && own_k < depth) {
            const long step = along_k ? 1 : ld;
            of.x = own[0];
            of.y = own_k + 1 < depth ? own[step] : 0;
            of.z = own_k + 2 < depth ? own[2 * step] : 0;
        }
        y[4 * h] = integer_of(of.x, own_exponent);
        y[4 * h + 1] = integer_of(of.y, own_exponent);
        y[4 * h + 2] = integer_of(of.z, own_exponent);
        y[4 * h + 3] = integer_of(of.w, own_exponent);
    }
    __global uint *at = to + word_of(tile, row % tile, from);
    __global uint *at_second = to + word_of(tile, second % tile, along_k ? from : from + 4);
#endif
    write_residues(y, at, at_second, BY_WORDS || GAUSSIAN ? false : !along_k, PARTS * plane);
    if (CERTIFIED) {
        const __global int *peaks = (is_a ? PEAKS_A(scales, m, n) : PEAKS_B(scales, m, n)) + first;
        write_magnitudes(y, at + MODULI * plane, at_second + MODULI * plane,
                         row < rows ? exponent + peaks[row] : 0,
                         second < rows ? second_exponent + peaks[second] : 0);
    }
}

/* The first groups_a groups pack A (m x k) into a_packed, for all slabs, the others the slab's part
 * of B (k x columns) into b_packed. */
__kernel __attribute__((reqd_work_group_size(UNIT *ROW_BYTES / EACH, 1, 1))) void
clg_residues_pack(const int m, const int n, const int k, const int groups_a, const int first,
                  const int columns, const __global real *restrict a, const long a_offset, const long lda,
                  const __global real *restrict b, const long b_offset, const long ldb,
                  __global int *scales, __global uchar *restrict a_packed,
                  __global uchar *restrict b_packed) {
    const int group = (int)get_group_id(0);
    if (group >= groups_a)
        pack(false, B_ALONG_K, B_VECTOR, TILE_N, b + b_offset, ldb, m, n, first, columns, k,
             group - groups_a, scales, b_packed);
    else if (first == 0)
        pack(true, A_ALONG_K, A_VECTOR, TILE_M, a + a_offset, lda, m, n, 0, m, k, group, scales,
             a_packed);
}
