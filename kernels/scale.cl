/* SPDX-License-Identifier: Apache-2.0
 * C := beta * C, for calls whose product is empty (alpha = 0 or k = 0), and before complex products
 * that are posed as real ones (gemm/complex.h). TRIANGLE: triangle.h.
 *
 * One work-item for each element of C (column-major, m x n, columns ldc apart), down the columns.
 * With beta = 0 zeros are written and C is not read, so that NaN in C vanishes. */
#include "number.h"
#include "triangle.h"

__kernel void clg_scale(const long m, const long elements, const number beta, __global element *c,
                        const long c_offset, const long ldc BATCH_STRIDE(c) BATCH_ARGS) {
    const long id = GROUP_ID * get_local_size(0) + get_local_id(0);
    const long row = id % m, col = id / m;
    if (id >= elements)
        return;
    if (!IS_COMPUTED(row - DIAGONAL(col)))
        return;
    __global element *to = c + c_offset + PRODUCT_OF(c) + row + col * ldc;
    STORE(to, 0, is_zero(beta) ? (number)0 : scaled(beta, LOAD(to, 0)));
}
