/* SPDX-License-Identifier: Apache-2.0
 * Step 6 of the ladder: a work-item computes a WPTM x WPTN block of C in registers.
 *
 *                    TSN               A group has TSM x TSN elements of C and RTSM x RTSN items.
 *              +-----+----+            A work-item's rows are RTSM apart, its columns RTSN:
 *           k  | B^T |::::| TSK
 *              +-----+----+                p:   b b b b    WPTN values of B
 *  +--------+  +-----+----+                   a # # # #
 *  |---++---|  |     |# # |                   a # # # #    WPTM x WPTN multiply-adds
 *  |   ||   |  |     |    | TSM               a # # # #
 *  |---++---|  |     |# # |                   a # # # #
 *  +--------+  +-----+----+               WPTM values of A
 *     TSK
 *
 * New: the outer product. One step along p reads WPTM + WPTN values from local memory for WPTM *
 * WPTN multiply-adds: 16 reads for 64, where step 3 had 9 for 8. The group's tile grows to 128 x
 * 128, so global memory is read less often as well. This is the most important step: from here on
 * arithmetic is the limit. The price is registers: 64 accumulators and 9 operands a work-item.
 *
 * TSM, TSN, TSK: the tile of a group; WPTM, WPTN: of a work-item. Launch: (RTSM, RTSN) items a
 * group, (m / WPTM, n / WPTN) in all. B is transposed. LPTA and LPTB must be whole. Sizes: m is a
 * multiple of TSM, n of TSN, k of TSK. */
#ifndef TSM
#define TSM 128
#endif
#ifndef TSN
#define TSN 128
#endif
#ifndef TSK
#define TSK 16
#endif
#ifndef WPTM
#define WPTM 8
#endif
#ifndef WPTN
#define WPTN 8
#endif
#ifndef PAD
#define PAD 2
#endif
#define RTSM (TSM / WPTM)
#define RTSN (TSN / WPTN)
#define ITEMS (RTSM * RTSN)
#define LPTA (TSM * TSK / ITEMS) /* loads per work-item */
#define LPTB (TSN * TSK / ITEMS)

__kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1))) void
clg_06_register_tiles(const int m, const int n, const int k, const __global float *a,
                      const __global float *b, __global float *c) {
    __local float tile_a[TSK][TSM];       /* [p][row] */
    __local float tile_b[TSN][TSK + PAD]; /* [col][p] */
    const int x = get_local_id(0), y = get_local_id(1), item = y * RTSM + x;
    const int row0 = get_group_id(0) * TSM, col0 = get_group_id(1) * TSN;
    float sum[WPTM][WPTN];
#pragma unroll
    for (int i = 0; i < WPTM; i++)
#pragma unroll
        for (int j = 0; j < WPTN; j++)
            sum[i][j] = 0.0f;

    for (int t = 0; t < k; t += TSK) {
#pragma unroll
        for (int l = 0; l < LPTA; l++) {
            const int e = l * ITEMS + item, row = e % TSM, p = e / TSM;
            tile_a[p][row] = a[(t + p) * m + row0 + row];
        }
#pragma unroll
        for (int l = 0; l < LPTB; l++) {
            const int e = l * ITEMS + item, col = e % TSN, p = e / TSN;
            tile_b[col][p] = b[(t + p) * n + col0 + col];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < TSK; p++) {
            float b_values[WPTN];
#pragma unroll
            for (int j = 0; j < WPTN; j++)
                b_values[j] = tile_b[y + j * RTSN][p];
#pragma unroll
            for (int i = 0; i < WPTM; i++) {
                const float a_value = tile_a[p][x + i * RTSM];
#pragma unroll
                for (int j = 0; j < WPTN; j++)
                    sum[i][j] += a_value * b_values[j];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

#pragma unroll
    for (int j = 0; j < WPTN; j++)
#pragma unroll
        for (int i = 0; i < WPTM; i++)
            c[(col0 + y + j * RTSN) * m + row0 + x + i * RTSM] = sum[i][j];
}
