/* SPDX-License-Identifier: Apache-2.0
 * What rounding may change in an element of a product, for code that checks products: the tuner,
 * the bench, the tests. */
#ifndef CLGEMM_COMMON_ROUNDING_H
#define CLGEMM_COMMON_ROUNDING_H

#include <float.h>

#include "gemm/element.h"

/* The unit roundoff of a kernel's arithmetic, and its least normal number. */
static inline double clg_roundoff(clgemm_type type) {
    return clg_type_real(type) == CLGEMM_F64 ? DBL_EPSILON / 2 : (double)FLT_EPSILON / 2;
}

static inline double clg_least_normal(clgemm_type type) {
    return clg_type_real(type) == CLGEMM_F64 ? DBL_MIN : (double)FLT_MIN;
}

/* The most by which storing a number of up to that magnitude may change it, beyond the error of the
 * operation that computed it: half a step between elements. */
static inline double clg_storing_error(clgemm_type type, double magnitude) {
    if (!clg_type_is_narrow(type))
        return 0;
    const struct clg_format format = clg_format_of(type);
    const int least = 1 - clg_format_most(format) / 2;
    return fmax(ldexp(magnitude, -1 - format.digits), ldexp(1, least - format.digits - 1));
}

/* Whether an element may be the stored form of a number within `bound` of high + low. */
static inline bool clg_element_is_near(clgemm_type type, double element, double high, double low,
                                       double bound) {
    const double most = fabs(high) + bound;
    if (fabs((element - high) - low) <= bound + clg_storing_error(type, most))
        return true;
    /* Infinite only if the number may exceed the largest element by half a step. */
    return clg_type_is_narrow(type) && isinf(element) && !signbit(element) == !signbit(high) &&
           isinf(clg_narrow_value(type, clg_narrow_bits(type, most)));
}

/* A sum with twice the digits of a double, high + low. The rounding error of each product and each
 * addition is itself a double and is added to `low` (Ogita, Rump, Oishi, Accurate Sum and Dot
 * Product, 2005, algorithm Dot2). A long double is no wider than a double on some machines. */
struct clg_wide {
    double high, low;
};

static inline void clg_wide_add_product(struct clg_wide *sum, double x, double y) {
    const double product = x * y, high = sum->high + product, part = high - sum->high;
    sum->low += (sum->high - (high - part)) + (product - part) + fma(x, y, -product);
    sum->high = high;
}

#endif
