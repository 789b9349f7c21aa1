/* SPDX-License-Identifier: Apache-2.0
 * Judges results: elements with more than double precision, the whole matrix against OpenBLAS. */
#ifndef BENCH_VERIFY_H
#define BENCH_VERIFY_H

#include "bench/problem.h"

/* The number of judged elements if not all are. */
#define VERIFY_ELEMENTS 2048

struct judge {
    size_t count;       /* elements judged one by one */
    int64_t *i, *j, *z; /* their rows, columns and products; rows of complex ones count parts */
    struct clg_wide *expected;
    double *bound;
    double *magnitude; /* sums of |a||b|, times |alpha| */
    /* Euclidean lengths of op(A)'s rows and op(B)'s columns, product by product. The product of two
     * lengths is at least an element's sum of |a||b| (Cauchy and Schwarz). */
    double *a_length, *b_length;
    void *reference; /* OpenBLAS's whole C; NULL if the sizes do not fit OpenBLAS */
};

/* Approximate bytes that a judge for the problem needs. */
double judge_bytes(const struct problem *problem);

/* Computes what C must be. Returns false, with why, if memory is short. Release in any case. */
bool judge_create(struct judge *judge, const struct problem *problem, char *why, size_t room);
void judge_release(struct judge *judge);

/* Whether `c` is right; if not, `why` names a wrong element. *error (NULL: not needed) is the
 * largest error of the elements judged one by one, each over its sum of |a||b|. */
bool judge_accepts(const struct judge *judge, const struct problem *problem, const void *c,
                   double *error, char *why, size_t room);

/* The same of routines other than gemm, without a judge. */
bool level3_accepts(const struct problem *problem, const void *c, double *error, char *why,
                    size_t room);

#endif
