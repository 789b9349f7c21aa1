/* SPDX-License-Identifier: Apache-2.0
 * Elements of matrices: what filling, judging and reporting need of their types. */
#ifndef BENCH_ELEMENT_H
#define BENCH_ELEMENT_H

#include "gemm/type.h"

struct element {
    const char *name;    /* in reports: "f32" */
    const char *routine; /* "SGEMM" */
    int digits;          /* decimal ones that tell any two values apart */
    int random_bits;     /* of a random value: as many as its significand and sign hold */
    double roundoff;     /* unit roundoff of its arithmetic */
    double least;        /* the least normal value */
};

/* Of a type that this version multiplies. */
const struct element *element_of(clgemm_type type);

/* A factor as a call of the type takes it, by value or by pointer. */
union scalar {
    float f32;
    double f64;
};

static inline union scalar element_scalar(clgemm_type type, double value) {
    return type == CLGEMM_F64 ? (union scalar){.f64 = value} : (union scalar){.f32 = (float)value};
}

/* The value that the type has for this one. */
double element_round(clgemm_type type, double value);

/* Every value of either type is a double. */
static inline double element_at(clgemm_type type, const void *matrix, int64_t index) {
    return type == CLGEMM_F64 ? ((const double *)matrix)[index]
                              : (double)((const float *)matrix)[index];
}

static inline void element_set(clgemm_type type, void *matrix, int64_t index, double value) {
    if (type == CLGEMM_F64)
        ((double *)matrix)[index] = value;
    else
        ((float *)matrix)[index] = (float)value;
}

#endif
