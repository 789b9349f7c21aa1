/* SPDX-License-Identifier: Apache-2.0
 * Step 8 of the ladder: features of some vendors' devices that OpenCL 1.2 does not have.
 *
 *     read-only loads      global memory ==> the texture units' cache ==> registers
 *
 *     shuffles             local memory: one read a work-item      registers: WPTN exchanges
 *
 *       lane of a row of RTSM work-items   0    1    2    3           lane 0 gives b0 to all,
 *       reads from tile_b[p]               b0   b1   b2   b3   ==>    lane 1 gives b1 to all ...
 *
 * Work-items with the same y need the same WPTN values of B. In step 7 each reads all of them. Here
 * each reads one, and they exchange them within the SIMD group, without local memory.
 *
 * New: only these instructions; the algorithm is the same. The tutorial's CUDA edition has __ldg
 * and __shfl for this. In OpenCL the same instructions are available as inline PTX on NVIDIA's
 * devices, and shuffles as sub-group functions on some others; extras.h has them all. Running
 * extras_probe.cl shows what a device offers. If it offers nothing, `const` and `restrict` still
 * tell the compiler that the loads are read-only, and the rest is step 7.
 *
 * PTX_LOAD, PTX_SHUFFLE: 0 or 1; SUBGROUP_SHUFFLE: 0, 1 or 2 (see extras.h); not both shuffles.
 * Shuffles need rows of RTSM work-items that are within a SIMD group, and WPTN <= RTSM.
 * Others, launch and sizes as in step 7. */
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

#include "extras.h"

__kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1))) void
clg_08_device_extras(const int m, const int n, const int k, const __global vector *restrict a,
                     const __global vector *restrict b, __global float *restrict c) {
    __local vector vectors_a[TSK][TSM / WIDTH], vectors_b[TSK][TSN / WIDTH];
    const __local float *tile_a = (const __local float *)vectors_a; /* [p][row] */
    const __local float *tile_b = (const __local float *)vectors_b; /* [p][col] */
    const int x = get_local_id(0), y = get_local_id(1), item = y * RTSM + x;
    const int row0 = get_group_id(0) * TSM, col0 = get_group_id(1) * TSN;
    float sum[WPTM][WPTN];
#if PTX_SHUFFLE || SUBGROUP_SHUFFLE
    const uint row_start = simd_lane() - x; /* the lane of x = 0 */
#endif
#pragma unroll
    for (int i = 0; i < WPTM; i++)
#pragma unroll
        for (int j = 0; j < WPTN; j++)
            sum[i][j] = 0.0f;

    for (int t = 0; t < k; t += TSK) {
#pragma unroll
        for (int l = 0; l < LPTA; l++) {
            const int e = l * ITEMS + item, rows = e % (TSM / WIDTH), p = e / (TSM / WIDTH);
            vectors_a[p][rows] = load_read_only(&a[((t + p) * m + row0) / WIDTH + rows]);
        }
#pragma unroll
        for (int l = 0; l < LPTB; l++) {
            const int e = l * ITEMS + item, cols = e % (TSN / WIDTH), p = e / (TSN / WIDTH);
            vectors_b[p][cols] = load_read_only(&b[((t + p) * n + col0) / WIDTH + cols]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < TSK; p++) {
            float b_values[WPTN];
#if PTX_SHUFFLE || SUBGROUP_SHUFFLE
            const float mine = tile_b[p * TSN + y + x % WPTN * RTSN];
#pragma unroll
            for (int j = 0; j < WPTN; j++)
                b_values[j] = value_of_lane(mine, row_start + j);
#else
#pragma unroll
            for (int j = 0; j < WPTN; j++)
                b_values[j] = tile_b[p * TSN + y + j * RTSN];
#endif
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
