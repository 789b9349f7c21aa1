/* SPDX-License-Identifier: Apache-2.0
 * Judges results: elements against more than double precision, the whole matrix against OpenBLAS.
 */
#ifndef BENCH_VERIFY_H
#define BENCH_VERIFY_H

#include "bench/problem.h"

/* Elements judged so where not all of them are. */
#define VERIFY_ELEMENTS 2048

struct judge {
    size_t count;       /* elements judged one by one */
    int64_t *i, *j, *z; /* their rows, columns and products */
    struct clg_wide *expected;
    double *bound;
    double *magnitude; /* sums of |a||b|, times |alpha| */
    /* Euclidean lengths of op(A)'s rows and op(B)'s columns, product by product: one's times the
     * other's is at least the sum of |a||b| for an element (Cauchy and Schwarz). */
    double *a_length, *b_length;
    void *reference; /* OpenBLAS's whole C; NULL if the sizes do not fit it */
};

/* Bytes that a judge for the problem will hold, about. */
double judge_bytes(const struct problem *problem);

/* Computes what C must be. False, with why, when out of memory. Release in any case. */
bool judge_create(struct judge *judge, const struct problem *problem, char *why, size_t room);
void judge_release(struct judge *judge);

/* Whether `c` is right; if not, `why` names an element that is not. */
bool judge_accepts(const struct judge *judge, const struct problem *problem, const void *c,
                   char *why, size_t room);

/* The largest of the errors of those judged one by one, each over its sum of |a||b|. */
double judge_error(const struct judge *judge, const struct problem *problem, const void *c);

#endif
