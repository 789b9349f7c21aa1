/* SPDX-License-Identifier: Apache-2.0
 * What C must be: sampled elements in double precision, no element unwritten, nothing around C
 * touched. For alpha = 1 and beta = 0, from host copies of A and B; calls no OpenCL. */
#ifndef CLG_TUNE_VERIFY_H
#define CLG_TUNE_VERIFY_H

#include "gemm/problem.h"

/* C's buffer: so many floats, C, so many again. All of it is canaries before a run: a NaN whose
 * bits no computation makes. */
enum { CLG_VERIFY_GUARD = 1024 };
#define CLG_VERIFY_CANARY UINT32_C(0x7fd1c2a5)
#define CLG_VERIFY_ROUNDOFF 0x1p-24 /* the unit roundoff of single precision */

struct clg_reference {
    int64_t m, n, ld;
    size_t length; /* of C's buffer, floats */
    size_t count;
    int64_t *at; /* index into the buffer */
    double *expected, *bound;
};

/* Computes the samples: all elements of small results, else their corners and 2048 others. False:
 * out of memory. Release in any case. */
bool clg_reference_create(struct clg_reference *out, const struct clg_problem *problem,
                          const float *a, const float *b);
void clg_reference_release(struct clg_reference *reference);

/* Whether the buffer `c` is right; if not, `why` says where. */
bool clg_reference_accepts(const struct clg_reference *reference, const float *c, char *why,
                           size_t room);

#endif
