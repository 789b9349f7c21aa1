/* SPDX-License-Identifier: Apache-2.0
 * Checks a second result of a product against a trusted first one; calls no OpenCL. */
#ifndef CLG_TUNE_AGREE_H
#define CLG_TUNE_AGREE_H

#include "run/host_matrices.h"

/* Memory for a second C, laid out as in tune/verify.h and aligned as the first, with canaries. */
struct clg_second {
    clgemm_type type;
    int64_t m, n, ld;
    void *memory, *buffer, *c; /* `c` is within `buffer`, which is within `memory` */
    size_t length;             /* of the buffer, elements */
};

/* `c` is the address of the first C of the problem. False: out of memory. */
bool clg_second_create(struct clg_second *out, const struct clg_problem *problem, const void *c);
void clg_second_release(struct clg_second *second);

/* Fills the buffer with canaries again. */
void clg_second_clear(struct clg_second *second);

/* The Euclidean lengths of op(A)'s rows and op(B)'s columns, which bound their products. */
struct clg_lengths {
    double *rows, *columns; /* m, n */
    bool finite;            /* and the square of no element underflows in double */
};

/* False: out of memory. Release it in any case. */
bool clg_lengths_create(struct clg_lengths *out, const struct clg_problem *problem,
                        const struct clg_host_matrices *host);
void clg_lengths_release(struct clg_lengths *lengths);

/* Whether every element of the second C is within two error bounds (docs/testing.md) of the first,
 * and nothing around it was written. Both were computed with this alpha and beta = 0. By
 * Cauchy-Schwarz, an element of |A| |B| is at most the product of two lengths, which must be
 * finite. If false, `why` says where. */
bool clg_second_agrees(const struct clg_second *second, const struct clg_problem *problem,
                       double alpha, const struct clg_lengths *lengths, const void *c, char *why,
                       size_t room);

#endif
