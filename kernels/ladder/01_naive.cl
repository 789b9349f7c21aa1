/* SPDX-License-Identifier: Apache-2.0
 * Step 1 of the ladder: one work-item computes one element of C, straight from global memory.
 *
 *                 n                    C(i, j) = sum over p of A(i, p) * B(p, j)
 *            +---------+
 *         k  |    B  : |               All matrices are column-major, without gaps:
 *            |       : |                   A(i, p) = a[p * m + i]
 *     k      +-------:-+                   B(p, j) = b[j * k + p]
 *  +-----+   +-------:-+                   C(i, j) = c[j * m + i]
 *  |  A  | m |    C  : |
 *  |.....|   |.......# |  <- one work-item
 *  +-----+   +---------+
 *
 * The starting point is the definition. Each element of A is read n times and each of B m times.
 *
 * Dimension 0 of the launch runs along m. Work-items with neighbouring numbers run side by side, so
 * they read neighbouring elements of A and write neighbouring elements of C, which the memory
 * transfers together. If it ran along n, each element would need a transaction of its own.
 *
 * TS: the work-group is TS x TS. Launch: (TS, TS) items a group, (m, n) in all. */
#ifndef TS
#define TS 32
#endif

__kernel __attribute__((reqd_work_group_size(TS, TS, 1))) void
clg_01_naive(const int m, const int n, const int k, const __global float *a,
             const __global float *b, __global float *c) {
    const int row = get_global_id(0), col = get_global_id(1);
    float sum = 0.0f;
    (void)n; /* implied by the launch */
    for (int p = 0; p < k; p++)
        sum += a[p * m + row] * b[col * k + p];
    c[col * m + row] = sum;
}
