/* SPDX-License-Identifier: Apache-2.0
 * Step 5 of the ladder: B is transposed first, and the tiles are flat: TS x TSDK.
 *
 *                     n                B^T is what transpose.cl made of B:
 *              +-----+----+                B^T(j, p) = b[p * n + j]
 *              |     |::::| TSDK
 *           k  |  B  |    |            Both operands now have k as the slow index, so both tiles
 *              +-----+----+            are read alike, along m and along n. A tile need not be as
 *  +--------+  +-----+----+            deep as it is wide: TSDK = 16 halves the local memory of a
 *  |---++---|  |-----+----|            group and its registers for loads, and more groups run at
 *  |   ||   |  |     |#:#:| TS         the same time.
 *  +---++---+  +-----+----+
 *     TSDK                             Each work-item loads LPT elements of both tiles.
 *
 * tile_b[col][p] is written by columns and read by rows. Local memory has 32 banks, one float wide.
 * Work-items that write 16 floats apart would use only two of them and wait for each other. PAD
 * floats after each row move the next row to other banks.
 *
 * New: B is no longer read in rows along k, tiles are rectangular, and one is padded. The time of
 * this step and of later ones includes the transposition.
 *
 * TSDK: depth of a tile; PAD: floats between rows of tile_b. Others as in step 3, and so is the
 * launch. LPT = TSDK * WPT / TS must be whole. Sizes: m and n are multiples of TS, k of TSDK. */
#ifndef TS
#define TS 32
#endif
#ifndef WPT
#define WPT 8
#endif
#ifndef TSDK
#define TSDK 16
#endif
#ifndef PAD
#define PAD 2
#endif
#define RTS (TS / WPT)
#define LPT (TSDK * WPT / TS) /* loads per work-item, of either tile */

__kernel __attribute__((reqd_work_group_size(TS, RTS, 1))) void
clg_05_transposed(const int m, const int n, const int k, const __global float *a,
                  const __global float *b, __global float *c) {
    __local float tile_a[TSDK][TS];       /* [p][row] */
    __local float tile_b[TS][TSDK + PAD]; /* [col][p] */
    const int x = get_local_id(0), y = get_local_id(1);
    const int row0 = get_group_id(0) * TS, col0 = get_group_id(1) * TS;
    float sum[WPT];
#pragma unroll
    for (int w = 0; w < WPT; w++)
        sum[w] = 0.0f;
    for (int t = 0; t < k; t += TSDK) {
#pragma unroll
        for (int l = 0; l < LPT; l++) {
            const int p = l * RTS + y;
            tile_a[p][x] = a[(t + p) * m + row0 + x];
            tile_b[x][p] = b[(t + p) * n + col0 + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < TSDK; p++) {
            const float a_value = tile_a[p][x];
#pragma unroll
            for (int w = 0; w < WPT; w++)
                sum[w] += a_value * tile_b[y + w * RTS][p];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int w = 0; w < WPT; w++)
        c[(col0 + y + w * RTS) * m + row0 + x] = sum[w];
}
