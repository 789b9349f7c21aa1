/* SPDX-License-Identifier: Apache-2.0
 * Elements of matrices in host memory, by type, for code that fills and checks them: the tuner, the
 * bench, the tests. Those of complex types are two numbers each. */
#ifndef CLG_GEMM_ELEMENT_H
#define CLG_GEMM_ELEMENT_H

#include <math.h>

#include "gemm/type.h"

/* ---- Elements of 16 bits: a sign, an exponent, and `digits` bits without the leading 1 ---- */

struct clg_format {
    int digits, exponent_bits;
};

static inline struct clg_format clg_format_of(clgemm_type type) {
    return type == CLGEMM_F16 ? (struct clg_format){10, 5} : (struct clg_format){7, 8};
}

/* The exponent field of infinities and NaN; half of it is that of 1. */
static inline int clg_format_most(struct clg_format format) {
    return (1 << format.exponent_bits) - 1;
}

static inline double clg_narrow_value(clgemm_type type, uint16_t bits) {
    const struct clg_format format = clg_format_of(type);
    const int most = clg_format_most(format), one = 1 << format.digits;
    const int exponent = bits >> format.digits & most, digits = bits & (one - 1);
    const double value = exponent == most ? (digits ? NAN : INFINITY)
                         : exponent       ? ldexp(one + digits, exponent - most / 2 - format.digits)
                                          : ldexp(digits, 1 - most / 2 - format.digits);
    return bits >> 15 ? -value : value;
}

/* Rounds to the nearest, ties to even; infinite from half a step past the largest on. */
static inline uint16_t clg_narrow_bits(clgemm_type type, double value) {
    const struct clg_format format = clg_format_of(type);
    const int most = clg_format_most(format), least = 1 - most / 2;
    const unsigned infinite = (unsigned)most << format.digits, sign = signbit(value) ? 0x8000 : 0;
    int exponent;
    if (isnan(value))
        return (uint16_t)(sign | infinite | 1U << (format.digits - 1));
    if (isinf(value))
        return (uint16_t)(sign | infinite);
    frexp(value, &exponent);
    exponent = value == 0 || exponent - 1 < least ? least : exponent - 1;
    if (exponent > most / 2)
        return (uint16_t)(sign | infinite);
    /* The leading 1, which subnormal values lack, and a carry both increment the exponent. */
    const double digits = nearbyint(ldexp(fabs(value), format.digits - exponent));
    return (uint16_t)(sign | (((unsigned)(exponent - least) << format.digits) + (unsigned)digits));
}

/* ---- Elements of any type ---- */

/* Number `at`, which of any type is a double. */
static inline double clg_element(clgemm_type type, const void *matrix, int64_t at) {
    switch (clg_type_real(type)) {
    case CLGEMM_F64:
        return ((const double *)matrix)[at];
    case CLGEMM_F16:
    case CLGEMM_BF16:
        return clg_narrow_value(type, ((const uint16_t *)matrix)[at]);
    default:
        return (double)((const float *)matrix)[at];
    }
}

/* Rounds to the nearest value of the type. */
static inline void clg_element_set(clgemm_type type, void *matrix, int64_t at, double value) {
    if (clg_type_real(type) == CLGEMM_F64)
        ((double *)matrix)[at] = value;
    else if (clg_type_is_narrow(type))
        ((uint16_t *)matrix)[at] = clg_narrow_bits(type, value);
    else
        ((float *)matrix)[at] = (float)value;
}

/* The address of element `at`, which may be negative. */
static inline void *clg_element_at(clgemm_type type, const void *matrix, int64_t at) {
    return (char *)(uintptr_t)matrix + at * (int64_t)clg_type_size(type);
}

#endif
