/* SPDX-License-Identifier: Apache-2.0
 * Where the matrices of a host call lie in buffers: decided without one OpenCL call. */
#ifndef CLG_GEMM_HOST_LAYOUT_H
#define CLG_GEMM_HOST_LAYOUT_H

#include "gemm/host.h"

enum { CLG_A, CLG_B, CLG_C, CLG_MATRICES };

struct clg_lodging {
    bool used;     /* by a kernel */
    bool in_place; /* in a buffer over the host's memory */
    int buffer;    /* that of which matrix: in place, arrays that overlap share the first's */
    uintptr_t begin, end; /* in place: the host memory under that buffer */
};

struct clg_host_layout {
    struct clg_problem problem; /* with the matrices as they lie in their buffers */
    struct clg_lodging matrix[CLG_MATRICES];
};

/* The leading dimension of a copy with columns of that length, which must be less than 2^62. */
int64_t clg_host_dense_ld(int64_t rows);

/* Lays the matrices out: in place where `share` and they can be, else in buffers of their own, with
 * columns aligned for vectors. Fails with CLGEMM_STATUS_SIZE_OVERFLOW.
 *
 * A buffer in place covers no byte outside the arrays, and C has one only if it has no gaps: a
 * runtime may keep a copy of such a buffer and write it back whole, whatever other threads wrote
 * beside C meanwhile. */
clgemm_status clg_host_layout_make(struct clg_host_layout *out, const struct clg_problem *problem,
                                   const struct clg_host_matrices *host, bool share,
                                   uint64_t max_allocation);

#endif
