/* SPDX-License-Identifier: Apache-2.0
 * The ladder's helper: transposes a column-major matrix of rows x cols into one of cols x rows.
 *
 *     +----+----+        +----+        A group of TRANSPOSE x TRANSPOSE items transposes one tile
 *     |    |::: |        |    |        in local memory, so that both its reads and writes access
 *     |    |    |   ->   |----|        neighbouring elements. A column of padding keeps the tile's
 *     +----+----+        |:::.|        columns in different banks.
 *                        +----+
 *
 * Launch: TRANSPOSE squared items a group, rows x cols in all, rounded up; any size. */
#ifndef TRANSPOSE
#define TRANSPOSE 16
#endif

__kernel __attribute__((reqd_work_group_size(TRANSPOSE, TRANSPOSE, 1))) void
clg_transpose(const int rows, const int cols, const __global float *restrict in,
              __global float *restrict out) {
    __local float tile[TRANSPOSE][TRANSPOSE + 1];
    const int x = get_local_id(0), y = get_local_id(1);
    const int row0 = get_group_id(0) * TRANSPOSE, col0 = get_group_id(1) * TRANSPOSE;
    if (row0 + x < rows && col0 + y < cols)
        tile[y][x] = in[(col0 + y) * rows + row0 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (col0 + x < cols && row0 + y < rows)
        out[(row0 + y) * cols + col0 + x] = tile[x][y];
}
