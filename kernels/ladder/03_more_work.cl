/* SPDX-License-Identifier: Apache-2.0
 * Step 3 of the ladder: a work-item computes WPT elements of C, all in one row.
 *
 *              +-----+----+            The tiles are those of step 2. The group has only TS / WPT
 *           k  |  B  |::::| TS         work-items along n; each takes WPT columns, TS / WPT apart:
 *              +-----+----+
 *  +--------+  +-----+----+            columns of a tile, TS = 8, WPT = 4:   0 1 0 1 0 1 0 1
 *  |---+--+-|  |-----+----|            taken by work-item                    ^   ^   ^   ^    0
 *  |   |::| |  |     |#:#:| TS                                                 ^   ^   ^   ^  1
 *  +---+--+-+  +-----+----+
 *       TS             TS
 *
 * New: an element of A, once read from local memory, serves WPT accumulators. A multiply-add took
 * two reads of local memory and now takes 1 + 1 / WPT. The WPT accumulators do not depend on one
 * another, so their multiply-adds hide each other's latency.
 *
 * WPT: work (elements of C) per work-item; divides TS.
 * Launch: (TS, TS / WPT) items a group, (m, n / WPT) in all. Sizes: multiples of TS. */
#ifndef TS
#define TS 32
#endif
#ifndef WPT
#define WPT 8
#endif
#define RTS (TS / WPT) /* the group's reduced size along n */

__kernel __attribute__((reqd_work_group_size(TS, RTS, 1))) void
clg_03_more_work(const int m, const int n, const int k, const __global float *a,
                 const __global float *b, __global float *c) {
    __local float tile_a[TS][TS]; /* [p][row] */
    __local float tile_b[TS][TS]; /* [col][p] */
    const int x = get_local_id(0), y = get_local_id(1);
    const int row = get_group_id(0) * TS + x, col = get_group_id(1) * TS + y;
    float sum[WPT];
    (void)n;
#pragma unroll
    for (int w = 0; w < WPT; w++)
        sum[w] = 0.0f;
    for (int t = 0; t < k; t += TS) {
#pragma unroll
        for (int w = 0; w < WPT; w++) {
            tile_a[y + w * RTS][x] = a[(t + y + w * RTS) * m + row];
            tile_b[y + w * RTS][x] = b[(col + w * RTS) * k + t + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < TS; p++) {
            const float a_value = tile_a[p][x];
#pragma unroll
            for (int w = 0; w < WPT; w++)
                sum[w] += a_value * tile_b[y + w * RTS][p];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int w = 0; w < WPT; w++)
        c[(col + w * RTS) * m + row] = sum[w];
}
