/* SPDX-License-Identifier: Apache-2.0
 * The numbers of the kernels that scale, pack and put together (residues.h): doubles, or BY_WORDS
 * their bits. Where clg_residues_dot multiplies, arithmetic on doubles is slow or missing, so whole
 * numbers do it all. The build puts this text in place of the #include. */
#if BY_WORDS
#include "soft_double.h"
typedef ulong real;
typedef ulong2 real2;
typedef ulong4 real4;
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
typedef double2 real2;
typedef double4 real4;

/* 2^exponent as two factors, as doubles reach no further than 2^1023. An integer times both is
 * rounded once, and so is any number if the exponent is positive. */
static inline double2 scale_of(const int exponent) {
    const int bounded = clamp(exponent, -2040, 2040), part = bounded / 2;
    return (double2)(as_double((ulong)(1023 + part) << 52),
                     as_double((ulong)(1023 + bounded - part) << 52));
}
#endif
