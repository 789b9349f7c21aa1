/* SPDX-License-Identifier: Apache-2.0
 * Step 7 of the ladder: tiles are loaded into local memory in vectors of WIDTH floats.
 *
 *     global memory, a column of A          [....][....][....][....]     one read each
 *                                              |     |     |     |
 *     local memory, tile_a[p]               [....][....][....][....]     one write each
 *
 *     and then as in step 6, float by float: x, x + RTSM, x + 2 * RTSM ...
 *
 * Since B is transposed, its tile can have the layout of A's, with k as the slow index. Nothing is
 * transposed on the way to local memory, so vectors stay vectors, and PAD is not needed.
 *
 * New: a quarter of the instructions that load and store tiles. They are few beside the
 * multiply-adds, so little is gained, and nothing if the compiler or the memory system already
 * combined the narrow accesses.
 *
 * WIDTH: 1, 2, 4 or 8; divides TSM and TSN. Others, launch and sizes as in step 6; LPTA and LPTB
 * count vectors. */
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
#ifndef WIDTH
#define WIDTH 4
#endif
#define RTSM (TSM / WPTM)
#define RTSN (TSN / WPTN)
#define ITEMS (RTSM * RTSN)
#define LPTA (TSM * TSK / WIDTH / ITEMS) /* loads per work-item */
#define LPTB (TSN * TSK / WIDTH / ITEMS)

#define JOIN_(x, y) x##y
#define JOIN(x, y) JOIN_(x, y)
#if WIDTH == 1
typedef float vector;
#else
typedef JOIN(float, WIDTH) vector;
#endif

__kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1))) void
clg_07_wide_loads(const int m, const int n, const int k, const __global vector *a,
                  const __global vector *b, __global float *c) {
    __local vector vectors_a[TSK][TSM / WIDTH], vectors_b[TSK][TSN / WIDTH];
    const __local float *tile_a = (const __local float *)vectors_a; /* [p][row] */
    const __local float *tile_b = (const __local float *)vectors_b; /* [p][col] */
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
            const int e = l * ITEMS + item, rows = e % (TSM / WIDTH), p = e / (TSM / WIDTH);
            vectors_a[p][rows] = a[((t + p) * m + row0) / WIDTH + rows];
        }
#pragma unroll
        for (int l = 0; l < LPTB; l++) {
            const int e = l * ITEMS + item, cols = e % (TSN / WIDTH), p = e / (TSN / WIDTH);
            vectors_b[p][cols] = b[((t + p) * n + col0) / WIDTH + cols];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < TSK; p++) {
            float b_values[WPTN];
#pragma unroll
            for (int j = 0; j < WPTN; j++)
                b_values[j] = tile_b[p * TSN + y + j * RTSN];
#pragma unroll
            for (int i = 0; i < WPTM; i++) {
                const float a_value = tile_a[p * TSM + x + i * RTSM];
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
