/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * (the sum of the slices) + beta * C: the end of a product that was split along k.
 *
 * `parts` holds `slices` column-major matrices of ld x n, `stride` elements apart, ld a multiple of
 * 4. A work-group has ROWS quads of elements, and SLICE_LANES work-items for each: item s adds up
 * slices s, s + SLICE_LANES, ..., and the first adds the others' sums to its own, in order. So the
 * order of additions depends on the number of slices alone, and the result is the same each time.
 */
#define GROUP_SIZE 128
#define SLICE_LANES 8
#define QUADS (GROUP_SIZE / SLICE_LANES)

/* Rows past m were not written. */
static float4 read_quad(const __global float *from, const int rows) {
    if (rows >= 4)
        return *(const __global float4 *)from;
    return (float4)(from[0], rows > 1 ? from[1] : 0.0f, rows > 2 ? from[2] : 0.0f, 0.0f);
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void
clg_reduce(const int m, const long quads, const float alpha, const float beta,
           const __global float *restrict parts, const int slices, const long stride, const int ld,
           __global float *c, const long c_offset, const long ldc) {
    __local float4 sums[SLICE_LANES][QUADS];
    const int place = (int)get_local_id(0) % QUADS, first = (int)get_local_id(0) / QUADS;
    const long quad = get_group_id(0) * QUADS + place;
    const int row = (int)(quad % (ld / 4)) * 4;
    float4 sum = 0.0f;
    if (quad < quads) {
        const __global float *from = parts + quad * 4;
#pragma unroll 4
        for (int s = first; s < slices; s += SLICE_LANES)
            sum += read_quad(from + s * stride, m - row);
    }
    sums[first][place] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (first != 0 || quad >= quads)
        return;
    for (int s = 1; s < SLICE_LANES; s++)
        sum += sums[s][place];
    float result[4];
    vstore4(alpha * sum, 0, result);
    __global float *to = c + c_offset + row + quad / (ld / 4) * ldc;
    for (int e = 0; e < 4 && row + e < m; e++)
        to[e] = beta != 0.0f ? result[e] + beta * to[e] : result[e];
}
