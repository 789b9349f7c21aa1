/* SPDX-License-Identifier: Apache-2.0
 * Adds the sums of a block of k to totals outside the tensor cores. The build puts this text in
 * place of the #include. */
#if PROMOTED
/* Adds a block's sums of 16 columns of C to the totals. A work-item has two columns, 8 apart, and
 * two neighbouring rows out of every 8. */
static void promote(float *total, const float *sum, const __local float *scales, const int row,
                    const int column) {
#ifdef SCALE_TO
    const float left = scales[TILE_M + column], right = scales[TILE_M + column + 8];
#pragma unroll
    for (int e = 0; e < ROWS_EACH / 2; e += 4) {
        const float2 rows = vload2(0, scales + row + 2 * e);
        total[e] += scale_back(sum[e], rows.x, left);
        total[e + 1] += scale_back(sum[e + 1], rows.y, left);
        total[e + 2] += scale_back(sum[e + 2], rows.x, right);
        total[e + 3] += scale_back(sum[e + 3], rows.y, right);
    }
#else
#pragma unroll
    for (int e = 0; e < ROWS_EACH / 2; e++)
        total[e] += sum[e];
#endif
}
#endif
