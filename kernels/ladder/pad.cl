/* SPDX-License-Identifier: Apache-2.0
 * The ladder's helper: copies a column-major matrix into the corner of a larger one, with zeros
 * around it.
 *
 *     +----+        +----+--+
 *     | in |   ->   | in | 0|          `in` is rows x cols, `out` is out_rows x out_cols.
 *     +----+        +----+  |
 *                   |  0    |
 *                   +-------+
 *
 * Launch: PAD_GROUP squared items a group, out_rows x out_cols in all, rounded up. */
#ifndef PAD_GROUP
#define PAD_GROUP 16
#endif

__kernel __attribute__((reqd_work_group_size(PAD_GROUP, PAD_GROUP, 1))) void
clg_pad(const int rows, const int cols, const __global float *restrict in, const int out_rows,
        const int out_cols, __global float *restrict out) {
    const int row = get_global_id(0), col = get_global_id(1);
    if (row < out_rows && col < out_cols)
        out[col * out_rows + row] = row < rows && col < cols ? in[col * rows + row] : 0.0f;
}
