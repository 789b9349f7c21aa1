/* SPDX-License-Identifier: Apache-2.0
 * Finds the exponents by which rows of op(A) and columns of op(B) are scaled (residues.h): the
 * largest for which a row's Euclidean norm stays below sqrt(P / 2).
 *
 * A group has ROWS rows and WARP work-items for each. Consecutive work-items read consecutive
 * elements, along k or across. Sums of squares that overflow or underflow are computed again from
 * elements that are scaled by 2^-600 or 2^600. */
#include "ptx.h"
#include "residues.h"
#include "residues_number.h"
#include "residues_table.h"

#ifndef A_ALONG_K
#define A_ALONG_K 0 /* consecutive elements of op(A) run along k */
#define B_ALONG_K 1
#endif

#define ROWS 8
#define WARP 32
#define FAR 600

/* Of a row's elements. */
struct measures {
    double squares, sum, largest;
};

static void measure(struct measures *all, const double value) {
    all->squares = fma(value, value, all->squares);
    if (CERTIFIED) {
        all->sum += fabs(value);
        all->largest = fmax(all->largest, fabs(value));
    }
}

static struct measures together(const struct measures x, const struct measures y) {
    return (struct measures){x.squares + y.squares, x.sum + y.sum, fmax(x.largest, y.largest)};
}

static struct measures measures_of(const __global double *x, const long step, const int count,
                                   const double scale) {
    struct measures parts[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    int k = 0;
    for (; k + 3 < count; k += 4, x += 4 * step)
#pragma unroll
        for (int e = 0; e < 4 * PARTS; e++)
            measure(&parts[e / PARTS], x[e / PARTS * step + e % PARTS] * scale);
    for (; k < count; k++, x += step)
        for (int e = 0; e < PARTS; e++)
            measure(&parts[0], x[e] * scale);
    return together(together(parts[0], parts[1]), together(parts[2], parts[3]));
}

/* Whether neither overflow nor underflow matters in the sum of squares. */
static bool is_plain(const double squares) {
    return squares > 0x1p-900 && squares < 0x1p1000;
}

/* The exponent of a row whose elements times 2^shift have that sum of squares. */
static int exponent_of(const double squares, const int shift) {
    if (squares == 0)
        return 0;
    return isfinite(squares) ? (int)floor(0.5 * (LOG2_P - 1.001 - log2(squares))) + shift : LEFT_OUT;
}

#if CERTIFIED
/* Writes the row's peak, and two bounds of what rounding its scaled elements to integers costs:
 * half of an integer's unit, and the sum of magnitudes, both relative to 2^peak. */
static void certify(__global int *peaks, __global float2 *bounds, const struct measures all,
                    const int exponent, const int shift) {
    const bool has = exponent != LEFT_OUT && all.largest > 0;
    const int peak = has ? ilogb(all.largest) + 1 : 0;
    *peaks = peak - shift;
    *bounds = has ? (float2)((float)ldexp(0.5, shift - exponent - peak),
                             (float)(ldexp(all.sum, -peak) * (1 + 0x1p-20)))
                  : (float2)(0);
}
#endif

/* The first groups_a groups are for A, the others for B. */
__kernel __attribute__((reqd_work_group_size(ROWS *WARP, 1, 1))) void
clg_residues_norms(const int m, const int n, const int k, const int groups_a,
                   const __global double *restrict a, const long a_offset, const long lda,
                   const __global double *restrict b, const long b_offset, const long ldb,
                   __global int *scales) {
    __local struct measures parts[ROWS * WARP];
    __local double squares[ROWS];
    __local int again[1];
    const int group = (int)get_group_id(0), id = (int)get_local_id(0);
    const bool is_a = group < groups_a, along_k = is_a ? A_ALONG_K : B_ALONG_K;
    const int own = along_k ? id / WARP : id % ROWS, lane = along_k ? id % WARP : id / ROWS;
    const int row = (is_a ? group : group - groups_a) * ROWS + own;
    const int rows = (is_a ? m : n) / PARTS;
    const long ld = is_a ? lda : ldb, step = along_k ? 1 : ld;
    const __global double *x =
        (is_a ? a + a_offset : b + b_offset) + (along_k ? row * ld : row * PARTS) + lane * step;
    const int count = row < rows && lane < k ? (k - lane - 1) / WARP + 1 : 0;
    struct measures all = {0, 0, 0};
    int shift = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (id == 0)
            again[0] = 0;
        parts[own * WARP + lane] =
            measures_of(x, WARP * step, count, shift < 0 ? 0x1p-600 : shift > 0 ? 0x1p600 : 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane == 0) {
            all = parts[own * WARP];
            for (int i = 1; i < WARP; i++)
                all = together(all, parts[own * WARP + i]);
            squares[own] = all.squares;
            if (row < rows && !is_plain(all.squares))
                again[0] = 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!again[0] || pass == 1)
            break;
        shift = is_plain(squares[own]) ? 0 : squares[own] < 1 ? FAR : -FAR;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < rows) {
        const int exponent = exponent_of(all.squares, shift);
        for (int e = 0; e < PARTS; e++)
            (is_a ? EXPONENTS_A(scales, m, n) : EXPONENTS_B(scales, m, n))[row * PARTS + e] = exponent;
#if CERTIFIED
        certify((is_a ? PEAKS_A(scales, m, n) : PEAKS_B(scales, m, n)) + row,
                (__global float2 *)(is_a ? BOUNDS_A(scales, m, n) : BOUNDS_B(scales, m, n)) + row,
                all, exponent, shift);
#endif
    }
    if (group == 0 && id == 0) {
        REST(scales, m, n) = NOTHING;
        FAILED(scales, m, n) = -1;
    }
}
