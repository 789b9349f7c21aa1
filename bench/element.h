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

/* Alpha or beta. Only a complex type's have imaginary parts other than 0. */
struct factor {
    double re, im;
};

/* A factor as a call of the type takes it by pointer. */
union scalar {
    float f32[2];
    double f64[2];
};

static inline union scalar element_scalar(clgemm_type type, struct factor factor) {
    return clg_type_real(type) == CLGEMM_F64
               ? (union scalar){.f64 = {factor.re, factor.im}}
               : (union scalar){.f32 = {(float)factor.re, (float)factor.im}};
}

/* The value of this number, or factor, in the type. */
double element_round(clgemm_type type, double value);
static inline struct factor factor_round(clgemm_type type, struct factor factor) {
    return (struct factor){element_round(type, factor.re), element_round(type, factor.im)};
}

/* "0.5", or "0.5,2" if it has an imaginary part, as on the command line. */
enum { FACTOR_TEXT = 64 };
const char *factor_text(char text[FACTOR_TEXT], clgemm_type type, struct factor factor);

#endif
