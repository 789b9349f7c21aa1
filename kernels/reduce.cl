/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * (the sum of the slices) + beta * C: the end of a product that was split along k.
 *
 * `parts` holds `slices` column-major matrices of ld x n, `stride` elements apart, ld a multiple of
 * 4. A work-group has QUADS quads of elements, and SLICE_LANES (a power of two) work-items for
 * each: item s adds up slices s, s + SLICE_LANES, ...; then the upper half of the items' sums is
 * added to the lower until one is left. So the order of additions depends on the number of slices
 * alone, and the result is the same each time.
 */
#ifndef SLICE_LANES
#define SLICE_LANES 8
#endif
#define QUADS 8
#define GROUP_SIZE (SLICE_LANES * QUADS)

/* `count` rows of a quad: those past m were not written. */
static float4 read_rows(const __global float *from, const int count) {
    return (float4)(from[0], count > 1 ? from[1] : 0.0f, count > 2 ? from[2] : 0.0f, 0.0f);
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void
clg_reduce(const int m, const long quads, const float alpha, const float beta,
           const __global float *restrict parts, const int slices, const long stride, const int ld,
           __global float *c, const long c_offset, const long ldc) {
    __local float4 sums[SLICE_LANES][QUADS];
    const int place = (int)get_local_id(0) % QUADS, lane = (int)get_local_id(0) / QUADS;
    const long quad = get_group_id(0) * QUADS + place;
    const int row = (int)(quad % (ld / 4)) * 4;
    const __global float *from = parts + quad * 4;
    float4 sum = 0.0f;
    if (quad < quads && row + 4 <= m) { /* several reads at a time, as no branch parts them */
#pragma unroll 4
        for (int s = lane; s < slices; s += SLICE_LANES)
            sum += *(const __global float4 *)(from + s * stride);
    } else if (quad < quads) {
        for (int s = lane; s < slices; s += SLICE_LANES)
            sum += read_rows(from + s * stride, m - row);
    }
    sums[lane][place] = sum;
    for (int half_lanes = SLICE_LANES / 2; half_lanes > 0; half_lanes /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_lanes)
            sums[lane][place] = sum += sums[lane + half_lanes][place];
    }
    if (lane != 0 || quad >= quads)
        return;
    float result[4];
    vstore4(alpha * sum, 0, result);
    __global float *to = c + c_offset + row + quad / (ld / 4) * ldc;
    for (int e = 0; e < 4 && row + e < m; e++)
        to[e] = beta != 0.0f ? result[e] + beta * to[e] : result[e];
}
