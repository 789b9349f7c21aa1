/* SPDX-License-Identifier: Apache-2.0
 * Step 4 of the ladder: vectors of WIDTH floats in global and local memory.
 *
 *              +-----+----+            Tiles as in step 2, held as vectors. A work-item computes
 *           k  |  B  |::::| TS         WIDTH neighbouring rows of one column of C, one vector:
 *              +-----+----+
 *  +--------+  +-----+----+                a quad of A      one float of B     a quad of C
 *  |---+--+-|  |-----+----|                  [....]      *       [.]        +=   [####]
 *  |   |::| |  |     |#   | TS
 *  +---+--+-+  |     |#   |            B's vectors run along k: one read loads the factors of
 *       TS     +-----+----+            WIDTH steps along p.
 *
 * New: one instruction moves WIDTH floats, from global memory and from local memory. Step 3 shared
 * elements of A among columns; this step shares elements of B among rows. It is an alternative to
 * step 3; step 6 combines both.
 *
 * WIDTH: 1, 2, 4 or 8; divides TS.
 * Launch: (TS / WIDTH, TS) items a group, (m / WIDTH, n) in all. Sizes: multiples of TS. */
#ifndef TS
#define TS 32
#endif
#ifndef WIDTH
#define WIDTH 4
#endif

/* The vector type, and its elements as an array. */
#define JOIN_(x, y) x##y
#define JOIN(x, y) JOIN_(x, y)
#if WIDTH == 1
typedef float vector;
#define SPREAD(array, value) ((array)[0] = (value))
#else
typedef JOIN(float, WIDTH) vector;
#define SPREAD(array, value) JOIN(vstore, WIDTH)(value, 0, array)
#endif

#define VECTORS (TS / WIDTH) /* in a row of a tile */

__kernel __attribute__((reqd_work_group_size(VECTORS, TS, 1))) void
clg_04_wide_types(const int m, const int n, const int k, const __global vector *a,
                  const __global vector *b, __global vector *c) {
    __local vector tile_a[TS][VECTORS]; /* [p][rows] */
    __local vector tile_b[TS][VECTORS]; /* [col][ps] */
    const int x = get_local_id(0), y = get_local_id(1);
    const int rows = get_group_id(0) * VECTORS + x, col = get_group_id(1) * TS + y;
    vector sum = 0.0f;
    (void)n;
    for (int t = 0; t < k; t += TS) {
        tile_a[y][x] = a[(t + y) * (m / WIDTH) + rows];
        tile_b[y][x] = b[col * (k / WIDTH) + t / WIDTH + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < VECTORS; p++) {
            float factors[WIDTH];
            SPREAD(factors, tile_b[y][p]);
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                sum += tile_a[p * WIDTH + w][x] * factors[w];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[col * (m / WIDTH) + rows] = sum;
}
