/* SPDX-License-Identifier: Apache-2.0
 * C := beta * C, for calls whose product is empty (alpha = 0 or k = 0).
 *
 * One work-item an element of C (column-major, m x n, columns ldc apart); dimension 0 runs along
 * the columns. beta = 0 writes zeros without reading, so that NaN in C vanishes. */
__kernel void clg_scale(const long m, const long elements, const float beta, __global float *c,
                        const long c_offset, const long ldc) {
    const long id = get_global_id(0);
    if (id >= elements)
        return;
    __global float *element = c + c_offset + id % m + id / m * ldc;
    *element = beta == 0.0f ? 0.0f : beta * *element;
}
