/* SPDX-License-Identifier: Apache-2.0
 * Whether a second result of a product is as good as a first that is trusted; calls no OpenCL. */
#ifndef CLG_TUNE_AGREE_H
#define CLG_TUNE_AGREE_H

#include "run/host_matrices.h"

/* Room for a second C, laid out as in tune/verify.h and as aligned as the first: all canaries. */
struct clg_second {
    clgemm_type type;
    int64_t m, n, ld;
    void *memory, *buffer, *c; /* `c` lies in `buffer`, which lies in `memory` */
    size_t length;             /* of the buffer, elements */
};

/* For a C of that problem at that address, an element's. False: out of memory. */
bool clg_second_create(struct clg_second *out, const struct clg_problem *problem, const void *c);
void clg_second_release(struct clg_second *second);

/* Makes all of it canaries again. */
void clg_second_clear(struct clg_second *second);

/* How large the products of op(A)'s rows and op(B)'s columns can be: their Euclidean lengths. */
struct clg_lengths {
    double *rows, *columns; /* m, n */
    bool finite;            /* and no square of an element is so small that a double loses it */
};

/* False: out of memory. Release in any case. */
bool clg_lengths_create(struct clg_lengths *out, const struct clg_problem *problem,
                        const struct clg_host_matrices *host);
void clg_lengths_release(struct clg_lengths *lengths);

/* Whether every element of the second C is within two error bounds (docs/testing.md) of the first,
 * and nothing around it was written; both were made with this alpha, and beta = 0. By Cauchy and
 * Schwarz |A| |B| is at most the product of the lengths, which must be finite. If not, `why` says
 * where. */
bool clg_second_agrees(const struct clg_second *second, const struct clg_problem *problem,
                       double alpha, const struct clg_lengths *lengths, const void *c, char *why,
                       size_t room);

#endif
