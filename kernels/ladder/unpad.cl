/* SPDX-License-Identifier: Apache-2.0
 * The ladder's helper: copies the corner of a column-major matrix into a smaller one.
 *
 *     +-----+--+        +-----+
 *     | out |  |   ->   | out |        `in` has in_rows rows, `out` is rows x cols.
 *     +-----+  |        +-----+
 *     |        |
 *     +--------+
 *
 * Launch: PAD_GROUP squared items a group, rows x cols in all, rounded up. */
#ifndef PAD_GROUP
#define PAD_GROUP 16
#endif

__kernel __attribute__((reqd_work_group_size(PAD_GROUP, PAD_GROUP, 1))) void
clg_unpad(const int in_rows, const __global float *restrict in, const int rows, const int cols,
          __global float *restrict out) {
    const int row = get_global_id(0), col = get_global_id(1);
    if (row < rows && col < cols)
        out[col * rows + row] = in[col * in_rows + row];
}
