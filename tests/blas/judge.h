/* SPDX-License-Identifier: Apache-2.0
 * The judge of the drop-in's tests. It calls no BLAS, because the program's own BLAS is under
 * test. */
#ifndef CLG_TESTS_BLAS_JUDGE_H
#define CLG_TESTS_BLAS_JUDGE_H

#include <stdbool.h>

#include "support/gemm.h"

/* The element types that the drop-in takes: X(type, letter, in C). */
#define JUDGE_TYPES(X) \
    X(F32, s, float)   \
    X(F64, d, double)

/* A matrix op(X), and whether its columns are contiguous. */
struct view {
    const struct clg_test_matrix *matrix;
    bool by_columns;
    int64_t first; /* the element at which it begins, if it is not the first */
};

/* A product: C is m x n. If `uplo` is not 0, only the triangle that it names is computed. */
struct product {
    int64_t m, n, k;
    int uplo; /* as in cblas.h */
    double alpha, beta;
    struct view a, b, c;
};

/* NULL if C holds the right result and no other memory has changed; else what is wrong, in static
 * storage. */
const char *judge(const struct product *product);

#endif
