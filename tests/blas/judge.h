/* SPDX-License-Identifier: Apache-2.0
 * The judge of the drop-in's tests. It calls no BLAS, because the program's own BLAS is under
 * test. */
#ifndef CLG_TESTS_BLAS_JUDGE_H
#define CLG_TESTS_BLAS_JUDGE_H

#include <complex.h>
#include <stdbool.h>

#include "support/gemm.h"

/* The element types that the drop-in takes: X(type, letter, in C, as CBLAS takes alpha and
 * beta). */
#define JUDGE_TYPES(X)                       \
    X(F32, s, float, float)                  \
    X(F64, d, double, double)                \
    X(CF32, c, float _Complex, const void *) \
    X(CF64, z, double _Complex, const void *)

/* A variable as CBLAS takes it. */
#define JUDGE_PASS(scalar) \
    _Generic((scalar), float : (scalar), double : (scalar), default : &(scalar))

static inline double _Complex judge_number(double real, double imag) {
    return real + imag * _Complex_I;
}

/* Element `at`. A real one has no imaginary part, and gets none. */
static inline double _Complex judge_element(clgemm_type type, const void *x, int64_t at) {
    const int parts = clg_type_parts(type);
    return judge_number(clg_element(type, x, at * parts),
                        parts > 1 ? clg_element(type, x, at * parts + 1) : 0);
}
static inline void judge_set(clgemm_type type, void *x, int64_t at, double _Complex value) {
    const int parts = clg_type_parts(type);
    clg_element_set(type, x, at * parts, creal(value));
    if (parts > 1)
        clg_element_set(type, x, at * parts + 1, cimag(value));
}

/* A matrix op(X), and whether its columns are contiguous. */
struct view {
    const struct clg_test_matrix *matrix;
    bool by_columns;
    int64_t first; /* the element at which it begins, if it is not the first */
    bool conjugated;
};

/* A product: C is m x n. */
struct product {
    int64_t m, n, k;
    double _Complex alpha, beta;
    struct view a, b, c;
};

/* NULL if C holds the right result and no other memory has changed; else what is wrong, in static
 * storage. */
const char *judge(const struct product *product);

#endif
