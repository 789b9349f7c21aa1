/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in host memory through buffers over that memory. What cannot be in one is
 * copied. */
#ifndef CLG_HOST_BUFFERS_H
#define CLG_HOST_BUFFERS_H

#include "host/host.h"

/* ---- Where matrices are in buffers: calls no OpenCL function ---- */

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
                                   const struct clg_host_matrices *matrices, bool share,
                                   uint64_t max_allocation);

/* Whether its copies fit in the memory that a call may use for them, and each in a buffer. */
bool clg_host_layout_fits(const struct clg_host_layout *layout, const struct clg_facts *facts);

/* ---- Calls ---- */

/* As clg_host_gemm and clg_host_warm, with matrices used in place where possible. *done is false,
 * and nothing has happened, if copies of the others do not fit. */
clgemm_status clg_host_by_buffers(struct clg_engine *engine, const struct clg_host_call *call,
                                  bool *done);
clgemm_status clg_host_warm_buffers(struct clg_engine *engine, const struct clg_problem *problem,
                                    bool *done);

#endif
