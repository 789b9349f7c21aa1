/* SPDX-License-Identifier: Apache-2.0
 * Determines where the matrices of a host call are in buffers. Calls no OpenCL function. */
#ifndef CLG_RUN_HOST_LAYOUT_H
#define CLG_RUN_HOST_LAYOUT_H

#include "run/host_matrices.h"

struct clg_placement {
    bool used;            /* by a kernel */
    bool in_place;        /* in a buffer over host memory */
    int buffer;           /* the matrix whose buffer it is in; overlapping arrays share one */
    uintptr_t begin, end; /* in place: host memory under that buffer; else the memory spanned */
};

struct clg_host_layout {
    struct clg_problem problem; /* with the matrices as they are in their buffers */
    struct clg_placement placement[CLG_MATRICES];
};

/* The leading dimension of a copy with columns of `rows` elements, which must be less than 2^62. */
int64_t clg_host_dense_ld(clgemm_type type, int64_t rows);

/* Places the matrices: in place if `share` is true and it is possible, else in buffers of their own
 * with columns aligned for vectors. Fails with CLGEMM_STATUS_SIZE_OVERFLOW.
 *
 * A buffer in place covers no byte outside the arrays, and C is in place only if it has no gaps. A
 * runtime may keep a copy of such a buffer and write all of it back, over what other threads wrote
 * between the columns meanwhile. Matrices that overlap a copied one are copied too. */
clgemm_status clg_host_layout_make(struct clg_host_layout *out, const struct clg_problem *problem,
                                   const struct clg_host_matrices *host, bool share,
                                   uint64_t max_allocation);

#endif
