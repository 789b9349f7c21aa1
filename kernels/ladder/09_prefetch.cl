/* SPDX-License-Identifier: Apache-2.0
 * Step 9 of the ladder: two local buffers; the next tile is loaded while this one is multiplied.
 *
 *     tile         0           1           2           3
 *     load    [buffer 0][buffer 1]  [buffer 0]  [buffer 1]
 *     compute           [buffer 0]  [buffer 1]  [buffer 0]  [buffer 1]
 *                      |           |           |           |
 *                    barrier     barrier     barrier     barrier
 *
 * After a barrier the loaded tile is complete, and no work-item uses the other buffer any more. So
 * one barrier for each tile is enough, where earlier steps need two.
 *
 * New: prefetching. The loads are issued before a tile's multiply-adds, and complete while these
 * run. Whether it pays depends on what else hides the latency: a GPU with several groups on each
 * compute unit has other work meanwhile, and with the second buffer one group less may fit.
 *
 * Parameters, launch and sizes as in step 7. Local memory is twice step 7's. */
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

/* Loads TSK columns of `outer` floats, `ld` apart, from `from` on into a buffer. */
static void load_tile(__local vector *buffer, const __global vector *from, const int ld,
                      const int outer, const int loads, const int item) {
#pragma unroll
    for (int l = 0; l < loads; l++) {
        const int e = l * ITEMS + item, place = e % (outer / WIDTH), p = e / (outer / WIDTH);
        buffer[p * (outer / WIDTH) + place] = from[p * (ld / WIDTH) + place];
    }
}

__kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1))) void
clg_09_prefetch(const int m, const int n, const int k, const __global vector *restrict a,
                const __global vector *restrict b, __global float *restrict c) {
    __local vector vectors_a[2][TSK * TSM / WIDTH], vectors_b[2][TSK * TSN / WIDTH];
    const int x = get_local_id(0), y = get_local_id(1), item = y * RTSM + x;
    const int row0 = get_group_id(0) * TSM, col0 = get_group_id(1) * TSN;
    float sum[WPTM][WPTN];
#pragma unroll
    for (int i = 0; i < WPTM; i++)
#pragma unroll
        for (int j = 0; j < WPTN; j++)
            sum[i][j] = 0.0f;

    load_tile(vectors_a[0], &a[row0 / WIDTH], m, TSM, LPTA, item);
    load_tile(vectors_b[0], &b[col0 / WIDTH], n, TSN, LPTB, item);
    for (int t = 0; t < k; t += TSK) {
        const int now = t / TSK % 2, next = 1 - now;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t + TSK < k) {
            load_tile(vectors_a[next], &a[((t + TSK) * m + row0) / WIDTH], m, TSM, LPTA, item);
            load_tile(vectors_b[next], &b[((t + TSK) * n + col0) / WIDTH], n, TSN, LPTB, item);
        }
        const __local float *tile_a = (const __local float *)vectors_a[now]; /* [p][row] */
        const __local float *tile_b = (const __local float *)vectors_b[now]; /* [p][col] */
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
    }

#pragma unroll
    for (int j = 0; j < WPTN; j++)
#pragma unroll
        for (int i = 0; i < WPTM; i++)
            c[(col0 + y + j * RTSN) * m + row0 + x + i * RTSM] = sum[i][j];
}
