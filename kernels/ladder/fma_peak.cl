/* SPDX-License-Identifier: Apache-2.0
 * The ladder's ceiling: only multiply-adds, as many as the device can execute.
 *
 *     chain 0    x0 = x0 * a + b   x0 = x0 * a + b   ...       one chain waits for itself; CHAINS
 *     chain 1    x1 = x1 * a + b   x1 = x1 * a + b   ...       of them, independent of each other,
 *       ...                                                    keep the units busy meanwhile
 *
 * With a = b = 1/2 every chain converges to 1, so the host knows what `out` must be.
 *
 * VECTOR: numbers of a chain, the width of a CPU's registers, 1 on a GPU; with DOUBLES they are
 * doubles, else floats. The chains and both factors fit sixteen registers, the fewest of any CPU.
 * Each work-item performs rounds * UNROLL * CHAINS * VECTOR multiply-adds. */
#ifndef VECTOR
#define VECTOR 1
#endif
#define CHAINS 12
#define UNROLL 16

#ifdef DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define REAL double
#else
#define REAL float
#endif
typedef REAL real;

#define JOIN_(x, y) x##y
#define JOIN(x, y) JOIN_(x, y)
#if VECTOR == 1
typedef REAL vector;
#define FIRST(value) (value)
#else
typedef JOIN(REAL, VECTOR) vector;
#define FIRST(value) ((value).s0)
#endif

#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

__kernel void clg_fma_peak(const int rounds, const real a, const real b, __global real *out) {
    const real start = (real)(get_global_id(0) % 256);
/* Named variables: some compilers keep an array in memory. */
#define DECLARE(i) vector x##i = start * a + (real)i;
    EACH(DECLARE)
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
#define STEP(i) x##i = x##i * a + b;
            EACH(STEP)
        }
    }
    vector sum = 0;
#define ADD(i) sum += x##i;
    EACH(ADD)
    out[get_global_id(0)] = FIRST(sum);
}
