/* SPDX-License-Identifier: Apache-2.0
 * Checks a result C for alpha = 1 and beta = 0: sampled elements against a reference with at least
 * twice the digits of the type, every element written, nothing around C touched. The reference is
 * computed from host copies of A and B; calls no OpenCL. */
#ifndef CLG_TUNE_VERIFY_H
#define CLG_TUNE_VERIFY_H

#include "gemm/problem.h"

/* C's buffer has a guard of CLG_VERIFY_GUARD elements before and after C, and is a whole number of
 * canaries long. Before a run all of it is filled with canaries: these bits, each half of which is
 * also a NaN that no computation produces. */
enum { CLG_VERIFY_GUARD = 1024 };
#define CLG_VERIFY_CANARY UINT32_C(0x7ffd7ffb)

struct clg_reference {
    clgemm_type type;
    int64_t m, n, ld; /* n: columns of the C of all products, which are consecutive */
    size_t length;    /* of C's buffer, elements; a whole number of canaries */
    size_t count;
    int64_t *at;                     /* index into the buffer */
    double *expected, *rest, *bound; /* the expected value is expected + rest */
};

/* Computes the samples: all elements of a small C, else its corners and 2048 others. False: out of
 * memory. Release it in any case. */
bool clg_reference_create(struct clg_reference *out, const struct clg_problem *problem,
                          const void *a, const void *b);
void clg_reference_release(struct clg_reference *reference);

/* Whether the buffer `c` is right; if not, `why` describes the first fault. */
bool clg_reference_accepts(const struct clg_reference *reference, const void *c, char *why,
                           size_t room);

#endif
