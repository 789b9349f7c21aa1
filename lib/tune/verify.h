/* SPDX-License-Identifier: Apache-2.0
 * What C must be: sampled elements, computed with twice the digits of its type at least, no element
 * unwritten, nothing around C touched. For alpha = 1 and beta = 0, from host copies of A and B;
 * calls no OpenCL. */
#ifndef CLG_TUNE_VERIFY_H
#define CLG_TUNE_VERIFY_H

#include "gemm/problem.h"

/* C's buffer: so many elements, C, so many again, in whole canaries. All of it is canaries before a
 * run: these bits over and over, of which each half, too, is a NaN that no computation makes. */
enum { CLG_VERIFY_GUARD = 1024 };
#define CLG_VERIFY_CANARY UINT32_C(0x7ffd7ffb)

/* Makes so many elements canaries. */
void clg_canaries_fill(clgemm_type type, void *elements, size_t count);

struct clg_reference {
    clgemm_type type;
    int64_t m, n, ld; /* n: columns of the C of all products, which lie one behind the other */
    size_t length;    /* of C's buffer, elements: whole canaries */
    size_t count;
    int64_t *at;                     /* index into the buffer */
    double *expected, *rest, *bound; /* what is expected is the sum of both */
};

/* Computes the samples: all elements of small results, else their corners and 2048 others. False:
 * out of memory. Release in any case. */
bool clg_reference_create(struct clg_reference *out, const struct clg_problem *problem,
                          const void *a, const void *b);
void clg_reference_release(struct clg_reference *reference);

/* Whether the buffer `c` is right; if not, `why` says where. */
bool clg_reference_accepts(const struct clg_reference *reference, const void *c, char *why,
                           size_t room);

#endif
