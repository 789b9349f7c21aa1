/* SPDX-License-Identifier: Apache-2.0
 * Finds the exponents by which rows of op(A) and columns of op(B) are scaled, as clg_residues_norms
 * does, without arithmetic on doubles (residues.h).
 *
 * A group has ROWS rows and WARP work-items for each. Consecutive work-items read consecutive
 * elements, along k or across. The first pass finds a row's largest element; the second one adds up
 * floats, relative to its exponent, which may be off by one in 2^23 for each element. */
#define BY_WORDS 1
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

static ulong largest_of(const __global ulong *x, const long step, const int count) {
    ulong largest = 0;
    for (int k = 0; k < count; k++, x += step)
        for (int e = 0; e < PARTS; e++)
            largest = max(largest, x[e] & ~SOFT_SIGN);
    return largest;
}

/* The exponent of a number's highest digit. */
static int exponent_in(const ulong x) {
    return soft_of(x).exponent + 52;
}

/* The sums of squares (.x) and of magnitudes, relative to 2^exponent. */
static float2 sums_of(const __global ulong *x, const long step, const int count, const int exponent) {
    float2 sums = 0;
    for (int i = 0; i < count * PARTS; i++) {
        const struct soft number = soft_of(x[i / PARTS * step + i % PARTS] & ~SOFT_SIGN);
        const int apart = max(number.exponent + 24 - exponent, -126); /* at most -28 */
        const float value = (float)(number.digits >> 24) * as_float((uint)(127 + apart) << 23);
        sums += (float2)(value * value, value);
    }
    return sums;
}

/* The first groups_a groups are for A, the others for B. */
__kernel __attribute__((reqd_work_group_size(ROWS *WARP, 1, 1))) void
clg_residues_dot_norms(const int m, const int n, const int k, const int groups_a,
                       const __global real *restrict a, const long a_offset, const long lda,
                       const __global real *restrict b, const long b_offset, const long ldb,
                       __global int *scales) {
    __local ulong largest[ROWS * WARP];
    __local float2 parts[ROWS * WARP];
    const int group = (int)get_group_id(0), id = (int)get_local_id(0);
    const bool is_a = group < groups_a, along_k = is_a ? A_ALONG_K : B_ALONG_K;
    const int own = along_k ? id / WARP : id % ROWS, lane = along_k ? id % WARP : id / ROWS;
    const int row = (is_a ? group : group - groups_a) * ROWS + own;
    const int rows = (is_a ? m : n) / PARTS;
    const long ld = is_a ? lda : ldb, step = along_k ? 1 : ld;
    const __global real *x =
        (is_a ? a + a_offset : b + b_offset) + (along_k ? row * ld : row * PARTS) + lane * step;
    const int count = row < rows && lane < k ? (k - lane - 1) / WARP + 1 : 0;
    largest[own * WARP + lane] = largest_of(x, WARP * step, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong of_row = 0;
    for (int i = 0; i < WARP; i++)
        of_row = max(of_row, largest[own * WARP + i]);
    const int highest = exponent_in(of_row);
    const bool has = of_row > 0 && of_row < SOFT_INF;
    parts[own * WARP + lane] = has ? sums_of(x, WARP * step, count, highest) : (float2)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0 && row < rows) {
        float2 sums = parts[own * WARP];
        for (int i = 1; i < WARP; i++)
            sums += parts[own * WARP + i];
        sums *= 1 + (float)(count * PARTS + 2 * WARP) * 0x1p-23f;
        const int exponent =
            has ? (int)floor(0.5f * (LOG2_P_FLOAT - 1.001f - log2(sums.x))) - highest : 0;
        for (int e = 0; e < PARTS; e++)
            (is_a ? EXPONENTS_A(scales, m, n) : EXPONENTS_B(scales, m, n))[row * PARTS + e] =
                of_row < SOFT_INF ? exponent : LEFT_OUT;
#if CERTIFIED
        /* The peak, and bounds: half of an integer's unit, and the sum, both relative to 2^peak. */
        const int peak = has ? highest + 1 : 0;
        (is_a ? PEAKS_A(scales, m, n) : PEAKS_B(scales, m, n))[row] = peak;
        ((__global float2 *)(is_a ? BOUNDS_A(scales, m, n) : BOUNDS_B(scales, m, n)))[row] =
            has ? (float2)(ldexp(0.5f, -exponent - peak), 0.5f * sums.y) : (float2)(0);
#endif
    }
    if (group == 0 && id == 0) {
        REST(scales, m, n) = NOTHING;
        FAILED(scales, m, n) = -1;
    }
}
