/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * op(A) op(B) + beta * C, all complex, from a real product in workspace
 * (gemm/complex.h):
 *
 *                rows       columns    op(A) op(B) (i, j)
 *     PARTS = 2  i          2j, 2j+1   its real part, its imaginary part
 *     PARTS = 4  2i, 2i+1   2j, 2j+1   products of the parts of A (rows) and B (columns)
 *
 * TRIANGLE: triangle.h, of C. The signs are -1 for an operand that is conjugated here. A work-group
 * makes a SIDE x SIDE square.
 */
#ifndef COMPLEX
#define COMPLEX
#endif
#include "number.h"
#include "triangle.h"

#ifndef PARTS
#define PARTS 4
#endif
#define SIDE 32
#define ROWS 8 /* rows of work-items */

__kernel __attribute__((reqd_work_group_size(SIDE * ROWS, 1, 1))) void
clg_complex_join(const int m, const int n, const number alpha, const number beta,
                 const __global real *restrict product,
                 const int product_ld BATCH_STRIDE(product) SIGN_ARG(a) SIGN_ARG(b),
                 __global element *c, const long c_offset,
                 const long ldc BATCH_STRIDE(c) BATCH_ARGS) {
    const int squares = (m + SIDE - 1) / SIDE;
    const int i = (int)(GROUP_ID % squares) * SIDE + (int)get_local_id(0) % SIDE;
    const int j0 = (int)(GROUP_ID / squares) * SIDE;
    if (i >= m)
        return;
    for (int j = j0 + (int)get_local_id(0) / SIDE; j < min(j0 + SIDE, n); j += ROWS) {
        if (!IS_COMPUTED(i - j))
            continue;
        const __global real *from = product + PRODUCT_OF(product) + 2 * (long)j * product_ld;
        __global element *to = c + c_offset + PRODUCT_OF(c) + i + j * ldc;
#if PARTS == 2
        const number sum = (number)(from[i], a_sign * from[i + product_ld]);
#else
        const number re = vload2(i, from), im = vload2(i, from + product_ld); /* by B's part */
        const number sum = (number)(re.x - a_sign * b_sign * im.y, b_sign * im.x + a_sign * re.y);
#endif
        *to = is_zero(beta) ? scaled(alpha, sum) : scaled(alpha, sum) + scaled(beta, *to);
    }
}
