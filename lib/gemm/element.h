/* SPDX-License-Identifier: Apache-2.0
 * Elements of matrices in host memory by their type, F32 or F64, for whoever fills and judges them:
 * the tuner, the bench, the tests. */
#ifndef CLG_GEMM_ELEMENT_H
#define CLG_GEMM_ELEMENT_H

#include <float.h>
#include <math.h>

#include "gemm/type.h"

/* Every value of either type is a double. */
static inline double clg_element(clgemm_type type, const void *matrix, int64_t at) {
    return type == CLGEMM_F64 ? ((const double *)matrix)[at] : (double)((const float *)matrix)[at];
}

static inline void clg_element_set(clgemm_type type, void *matrix, int64_t at, double value) {
    if (type == CLGEMM_F64)
        ((double *)matrix)[at] = value;
    else
        ((float *)matrix)[at] = (float)value;
}

/* Its address; `at` may be negative. */
static inline void *clg_element_at(clgemm_type type, const void *matrix, int64_t at) {
    return (char *)(uintptr_t)matrix + at * (int64_t)clg_type_size(type);
}

/* The unit roundoff, and the least number that is not subnormal. */
static inline double clg_roundoff(clgemm_type type) {
    return type == CLGEMM_F64 ? DBL_EPSILON / 2 : (double)FLT_EPSILON / 2;
}

static inline double clg_least_normal(clgemm_type type) {
    return type == CLGEMM_F64 ? DBL_MIN : (double)FLT_MIN;
}

/* A sum with twice the digits of a double, high + low. What each product and each addition rounds
 * off is a double itself, and adds up in `low` (Ogita, Rump, Oishi, Accurate Sum and Dot Product,
 * 2005, algorithm Dot2). No long double, which is no wider than a double on some machines. */
struct clg_wide {
    double high, low;
};

static inline void clg_wide_add_product(struct clg_wide *sum, double x, double y) {
    const double product = x * y, high = sum->high + product, part = high - sum->high;
    sum->low += (sum->high - (high - part)) + (product - part) + fma(x, y, -product);
    sum->high = high;
}

#endif
