/* SPDX-License-Identifier: Apache-2.0
 * The highest rate of the memory: only a copy from `in` to `out`, with VECTOR floats for each
 * work-item, side by side. */
#ifndef VECTOR
#define VECTOR 4
#endif

#define JOIN_(x, y) x##y
#define JOIN(x, y) JOIN_(x, y)
typedef JOIN(float, VECTOR) vector;

__kernel void clg_copy_peak(__global const vector *in, __global vector *out) {
    out[get_global_id(0)] = in[get_global_id(0)];
}
