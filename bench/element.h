/* SPDX-License-Identifier: Apache-2.0
 * Element types: what reports, random values and calls need to know about them. */
#ifndef BENCH_ELEMENT_H
#define BENCH_ELEMENT_H

#include "src/common/rounding.h"

struct element {
    const char *name;    /* in reports: "f32" */
    const char *routine; /* "SGEMM" */
    int digits;          /* decimal digits that tell any two values apart, also of alpha and beta */
    int random_bits;     /* of a random value: as many as its significand and sign hold */
};

/* For a type that this version supports. */
const struct element *element_of(clgemm_type type);

/* A factor as a call of the type takes it by pointer; of a complex type, without imaginary part. */
union scalar {
    float f32[2];
    double f64[2];
};

static inline union scalar element_scalar(clgemm_type type, double value) {
    return clg_type_real(type) == CLGEMM_F64 ? (union scalar){.f64 = {value}}
                                             : (union scalar){.f32 = {(float)value}};
}

/* The value of this factor in the type. */
double element_round(clgemm_type type, double value);

#endif
