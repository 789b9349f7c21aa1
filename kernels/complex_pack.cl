/* SPDX-License-Identifier: Apache-2.0
 * Writes a complex operand as a real matrix, so that a complex product becomes a real one
 * (gemm/complex.h). Numbers are pairs: `rows` and leading dimensions count pairs here.
 *
 *     rows x cols, op(X)                 packed
 *
 *     x[r + c * ld]  ALONG_COLS = 0      packed[r + 2c * packed_ld]       = alpha * op(X)(r, c)
 *     x[c + r * ld]  ALONG_COLS = 1      packed[r + (2c + 1) * packed_ld] = the same times i
 *
 * That is A with EXPAND, whose real columns meet a pair of B: the first its real part, the second
 * its imaginary part. Without EXPAND, packed[r + c * packed_ld] is op(X)(r, c), so that the pairs of
 * a transposed B run along k.
 *
 * The gap between packed columns, which vectors read, is set to 0; it is less than SIDE long.
 *
 * A work-group moves a SIDE x SIDE square, through local memory if it must be turned, as in
 * clg_pack. */
#ifndef COMPLEX
#define COMPLEX
#endif
#include "number.h"

#ifndef ALONG_COLS
#define ALONG_COLS 1
#define EXPAND 1
#endif
#define SIDE 32
#define ROWS 8 /* rows of the square that the work-group moves at a time */

static inline void put(__global number *to, const int packed_ld, const number alpha,
                       const number x) {
#if EXPAND
    const number value = scaled(alpha, x);
    to[0] = value;
    to[packed_ld] = (number)(-value.y, value.x);
#else
    to[0] = x;
#endif
}

__kernel __attribute__((reqd_work_group_size(SIDE * ROWS, 1, 1))) void
clg_complex_pack(const int rows, const int cols, const number alpha,
                 const __global element *restrict x, const long x_offset,
                 const long ld BATCH_STRIDE(x) SIGN_ARG(x), __global element *restrict packed,
                 const int packed_ld BATCH_STRIDE(packed) BATCH_ARGS) {
    const int fast = (int)get_local_id(0) % SIDE, slow = (int)get_local_id(0) / SIDE;
    const int squares = (rows + SIDE - 1) / SIDE;
    const int r0 = (int)(GROUP_ID % squares) * SIDE, c0 = (int)(GROUP_ID / squares) * SIDE;
    const __global element *from = x + x_offset + PRODUCT_OF(x);
    const long column = (EXPAND ? 2 : 1) * (long)packed_ld;
    __global element *to = packed + PRODUCT_OF(packed) + r0 + fast;

#if ALONG_COLS
    /* One element of padding spreads a column of the square over the banks. */
    __local number square[SIDE][SIDE + 1];
    for (int s = slow; s < SIDE; s += ROWS)
        if (r0 + s < rows && c0 + fast < cols)
            square[fast][s] = SIGNED(x, from[c0 + fast + (r0 + s) * ld]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = slow; s < SIDE; s += ROWS)
        if (r0 + fast < packed_ld && c0 + s < cols)
            put(to + (c0 + s) * column, packed_ld, alpha,
                r0 + fast < rows ? square[s][fast] : (number)0);
#else
    for (int s = slow; s < SIDE; s += ROWS)
        if (r0 + fast < packed_ld && c0 + s < cols)
            put(to + (c0 + s) * column, packed_ld, alpha,
                r0 + fast < rows ? SIGNED(x, from[r0 + fast + (c0 + s) * ld]) : (number)0);
#endif
}
