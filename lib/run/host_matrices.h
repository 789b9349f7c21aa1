/* SPDX-License-Identifier: Apache-2.0
 * A call's matrices in host memory. */
#ifndef CLG_RUN_HOST_MATRICES_H
#define CLG_RUN_HOST_MATRICES_H

#include "gemm/problem.h"

/* In the problem's order. A and B are only read. Those that the problem does not use may be NULL.
 */
struct clg_host_matrices {
    void *at[CLG_MATRICES];
};

/* A matrix in host memory as an operand of a call, with the alignment of its address. `stride`:
 * distance to the matrix of the next product. */
static inline struct clg_operand clg_host_operand(const void *matrix, int64_t ld, int64_t stride) {
    unsigned alignment = 64;
    while ((uintptr_t)matrix % alignment)
        alignment /= 2;
    return (struct clg_operand){.unusable = matrix ? NULL : "is NULL",
                                .ld = ld,
                                .stride = stride,
                                .bytes = UINT64_MAX,
                                .alignment = alignment};
}

/* The caller's matrices in the problem's order. */
static inline struct clg_host_matrices clg_host_matrices_of(const struct clg_problem *problem,
                                                            const void *a, const void *b, void *c) {
    void *const given[] = {[CLG_A] = (void *)a, [CLG_B] = (void *)b, [CLG_C] = c};
    struct clg_host_matrices host;
    for (int i = 0; i < CLG_MATRICES; i++)
        host.at[i] = given[clg_problem_source(problem, i)];
    return host;
}

#endif
