/* SPDX-License-Identifier: Apache-2.0
 * Step 11 of the ladder: the design of clBlas. No local memory; large register tiles, wide reads.
 *
 *                       RY             A work-item computes RX x RY neighbouring elements of C:
 *              +-------+--+            RX rows, which it reads from A as one vector, by RY columns.
 *           k  |  B    |::| RK         It takes RK = 4 steps along k at a time: RK vectors of A,
 *              +-------+--+            and one float4 of each of its RY columns of B.
 *       RK     +-------+--+
 *  +--+--+--+  |       |  |                for each of RK steps p, RY columns j:
 *  |  |::|  |  |-------+--|                    sum[j] += A(rows, p) * B(p, j)
 *  +--+--+--+  |       |##| RX
 *      A       +-------+--+            B is not transposed: its columns already run along k.
 *
 * New: a step back. There is no barrier and no local tile. Sharing is left to the caches: the
 * work-items of a group of 8 x 8 read the same rows of A and columns of B at about the same time.
 * This was the fastest design on AMD's devices of its day. On a device whose caches are smaller or
 * slower than its local memory it is slower than step 6; on a CPU local memory is ordinary memory,
 * so nothing is lost.
 *
 * RX, RY: 4 or 8; THREADSX, THREADSY: the group.
 * Launch: (THREADSX, THREADSY) items a group, (m / RX, n / RY) in all.
 * Sizes: m is a multiple of THREADSX * RX, n of THREADSY * RY, k of 4. */
#ifndef THREADSX
#define THREADSX 8
#endif
#ifndef THREADSY
#define THREADSY 8
#endif
#ifndef RX
#define RX 8
#endif
#ifndef RY
#define RY 4
#endif
#define RK 4

#define JOIN_(x, y) x##y
#define JOIN(x, y) JOIN_(x, y)
typedef JOIN(float, RX) rows;

__kernel __attribute__((reqd_work_group_size(THREADSX, THREADSY, 1))) void
clg_11_registers_only(const int m, const int n, const int k, const __global rows *restrict a,
                      const __global float4 *restrict b, __global rows *restrict c) {
    const int row = get_global_id(0), col = get_global_id(1) * RY; /* row counts vectors */
    const int ld_a = m / RX, ld_b = k / RK;
    rows sum[RY];
    (void)n;
#pragma unroll
    for (int j = 0; j < RY; j++)
        sum[j] = 0.0f;
    for (int p = 0; p < k; p += RK) {
        rows a_values[RK];
#pragma unroll
        for (int q = 0; q < RK; q++)
            a_values[q] = a[(p + q) * ld_a + row];
#pragma unroll
        for (int j = 0; j < RY; j++) {
            const float4 b_values = b[(col + j) * ld_b + p / RK];
            sum[j] += a_values[0] * b_values.x;
            sum[j] += a_values[1] * b_values.y;
            sum[j] += a_values[2] * b_values.z;
            sum[j] += a_values[3] * b_values.w;
        }
    }
#pragma unroll
    for (int j = 0; j < RY; j++)
        c[(col + j) * ld_a + row] = sum[j];
}
