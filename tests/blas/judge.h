/* SPDX-License-Identifier: Apache-2.0
 * The judge of the drop-in's tests. No BLAS is used here, as the program's own is what is judged.
 */
#ifndef CLG_TESTS_BLAS_JUDGE_H
#define CLG_TESTS_BLAS_JUDGE_H

#include <stdbool.h>

#include "support/gemm.h"

/* The element types that the drop-in takes: X(type, letter, in C). */
#define JUDGE_TYPES(X) \
    X(F32, s, float)   \
    X(F64, d, double)

/* A matrix of either type. Whatever is no element is a NaN, and must stay as it is. */
struct operand {
    clgemm_type type;
    int64_t length, vectors, ld; /* elements of a vector, vectors, elements from one to the next */
    size_t bytes;
    void *memory, *before;
};

/* With random elements that no smaller type has. The leading dimension is max(1, length) + gap. */
void operand_create(struct operand *out, clgemm_type type, int64_t length, int64_t vectors,
                    int64_t gap, struct clg_test_random *random);
void operand_destroy(struct operand *operand);

double operand_load(clgemm_type type, const void *array, int64_t at);
void operand_store(clgemm_type type, void *array, int64_t at, double value);

/* An operand as op(X), and whether its columns are what lies contiguously. */
struct view {
    const struct operand *operand;
    bool by_columns;
};

/* A product: C is m x n, and of it the triangle that `uplo` names alone is computed; 0: all. */
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
