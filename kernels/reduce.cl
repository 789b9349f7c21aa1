/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * (the sum of the slices) + beta * C: the last step of a product split along k.
 *
 * `parts` holds `slices` column-major matrices of ld x n, `stride` elements apart; ld is a multiple
 * of 4. A work-group adds up QUADS vectors of four rows, with SLICE_LANES (a power of two)
 * work-items for each. Work-item s adds up slices s, s + SLICE_LANES, ...; then the upper half of
 * these partial sums is added to the lower half until one is left. So the order of additions
 * depends only on the number of slices, and the result is the same each time. TRIANGLE: triangle.h.
 */
#include "real.h"
#include "triangle.h"

#ifndef SLICE_LANES
#define SLICE_LANES 8
#define QUADS 16
#endif
#define GROUP_SIZE (SLICE_LANES * QUADS)

/* Row e of four; 0 if it was not written, past m or outside of the triangle. */
#define READ(e) (row + (e) < m && IS_COMPUTED(row + (e) - DIAGONAL(col)) ? at[e] : 0)

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void
clg_reduce(const int m, const long quads, const real alpha, const real beta,
           const __global real *restrict parts, const int slices, const long stride,
           const int ld BATCH_STRIDE(parts), __global element *c, const long c_offset,
           const long ldc BATCH_STRIDE(c) BATCH_ARGS) {
    __local real4 partial[SLICE_LANES][QUADS];
    const int place = (int)get_local_id(0) % QUADS, lane = (int)get_local_id(0) / QUADS;
    const long quad = GROUP_ID * QUADS + place;
    const int row = (int)(quad % (ld / 4)) * 4, col = (int)(quad / (ld / 4));
    const __global real *from = parts + PRODUCT_OF(parts) + quad * 4;
    real4 sum = 0;
    const int has_any = quad < quads && IS_ANY_COMPUTED(row - DIAGONAL(col), 4, 1);
    if (has_any && row + 4 <= m && ARE_ALL_COMPUTED(row - DIAGONAL(col), 4, 1)) {
        /* No branch in the loop, so several reads are in flight. */
#pragma unroll 4
        for (int s = lane; s < slices; s += SLICE_LANES)
            sum += *(const __global real4 *)(from + s * stride);
    } else if (has_any) {
        for (int s = lane; s < slices; s += SLICE_LANES) {
            const __global real *at = from + s * stride;
            sum += (real4)(READ(0), READ(1), READ(2), READ(3));
        }
    }
    partial[lane][place] = sum;
    for (int half_lanes = SLICE_LANES / 2; half_lanes > 0; half_lanes /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_lanes)
            partial[lane][place] = sum += partial[lane + half_lanes][place];
    }
    if (lane != 0 || !has_any)
        return;
    real result[4];
    vstore4(alpha * sum, 0, result);
    __global element *to = c + c_offset + PRODUCT_OF(c) + row + col * ldc;
#if NARROW && !TRIANGLE /* rounded as a vector: one by one takes eight times as long on a CPU */
    if (row + 4 <= m) {
        const real4 product = alpha * sum;
        STORE_VECTOR(4, beta != 0 ? product + beta * LOAD_VECTOR(4, 0, to) : product, 0, to);
        return;
    }
#endif
#pragma unroll /* else result would be in memory */
    for (int e = 0; e < 4; e++)
        if (row + e < m && IS_COMPUTED(row + e - DIAGONAL(col)))
            STORE(to, e, beta != 0 ? result[e] + beta * LOAD(to, e) : result[e]);
}
