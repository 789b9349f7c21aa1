/* SPDX-License-Identifier: Apache-2.0
 * Where the matrices of a host call lie in buffers: decided without one OpenCL call. */
#ifndef CLG_RUN_HOST_LAYOUT_H
#define CLG_RUN_HOST_LAYOUT_H

#include "run/host_matrices.h"

struct clg_placement {
    bool used;     /* by a kernel */
    bool in_place; /* in a buffer over the host's memory */
    int buffer;    /* that of which matrix: in place, arrays that overlap share the first's */
    uintptr_t begin, end; /* in place: the host memory under that buffer; else, what it spans */
};

struct clg_host_layout {
    struct clg_problem problem; /* with the matrices as they lie in their buffers */
    struct clg_placement placement[CLG_MATRICES];
};

/* The leading dimension of a copy with columns of that length, which must be less than 2^62. */
int64_t clg_host_dense_ld(clgemm_type type, int64_t rows);

/* Places the matrices: in place where `share` and they can be, else in buffers of their own, with
 * columns aligned for vectors. Fails with CLGEMM_STATUS_SIZE_OVERFLOW.
 *
 * A buffer in place covers no byte outside the arrays, and C has one only if it has no gaps: a
 * runtime may keep a copy of such a buffer and write it back whole, whatever other threads wrote
 * beside C meanwhile. What overlaps a copied matrix is copied too. */
clgemm_status clg_host_layout_make(struct clg_host_layout *out, const struct clg_problem *problem,
                                   const struct clg_host_matrices *host, bool share,
                                   uint64_t max_allocation);

#endif
