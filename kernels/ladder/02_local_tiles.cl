/* SPDX-License-Identifier: Apache-2.0
 * Step 2 of the ladder: square tiles of A and B are shared through local memory.
 *
 *                    n                 A work-group computes a TS x TS tile of C. It walks along k
 *              +-----+----+            in tiles: the group loads one tile of A and one of B into
 *           k  |  B  |::::| TS         local memory, each work-item one element of both, and then
 *              |     |    |            every work-item multiplies a row of one with a column of
 *        k     +-----+----+            the other.
 *  +--------+  +-----+----+
 *  |  A     |  |  C  |    |
 *  |---+--+-|  |-----+----|            barrier: the tiles are complete
 *  |   |::| |  |     |####| TS         barrier: they are no longer needed
 *  +---+--+-+  +-----+----+
 *       TS             TS
 *
 * New: each element that is read from global memory is used TS times, so the traffic falls by a
 * factor of TS. Two reads of local memory remain for each multiply-add.
 *
 * TS: tile and work-group are TS x TS. Launch: (TS, TS) items a group, (m, n) in all.
 * Sizes: m, n and k are multiples of TS. */
#ifndef TS
#define TS 32
#endif

__kernel __attribute__((reqd_work_group_size(TS, TS, 1))) void
clg_02_local_tiles(const int m, const int n, const int k, const __global float *a,
                   const __global float *b, __global float *c) {
    __local float tile_a[TS][TS]; /* [p][row] */
    __local float tile_b[TS][TS]; /* [col][p] */
    const int x = get_local_id(0), y = get_local_id(1);
    const int row = get_group_id(0) * TS + x, col = get_group_id(1) * TS + y;
    float sum = 0.0f;
    (void)n;
    for (int t = 0; t < k; t += TS) {
        tile_a[y][x] = a[(t + y) * m + row];
        tile_b[y][x] = b[col * k + t + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < TS; p++)
            sum += tile_a[p][x] * tile_b[y][p];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[col * m + row] = sum;
}
