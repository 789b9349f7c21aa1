/* SPDX-License-Identifier: Apache-2.0
 * A copy of a batch's C, for as long as a device works on it. */
#ifndef CLG_BLAS_KEEP_H
#define CLG_BLAS_KEEP_H

#include "blas/call.h"

/* C's rows or columns, whichever are contiguous. */
struct clg_lines {
    int64_t count, length;
};

static inline struct clg_lines clg_lines_of(const struct clg_gemm *call) {
    return call->layout == CLGEMM_ROW_MAJOR ? (struct clg_lines){call->m, call->n}
                                            : (struct clg_lines){call->n, call->m};
}

/* The most bytes of C that are kept at once; larger products are split. A buffer up to this size is
 * also kept for the next call: fresh memory from the system costs ten times as much as copying. */
enum { CLG_KEPT_MOST = 256 << 20 };

struct clg_kept;

/* Copies all C without the gaps between rows or columns; NULL if memory is short. */
struct clg_kept *clg_keep(const struct clg_batch *batch);

/* Writes the copy back; does not touch the gaps. */
void clg_keep_restore(struct clg_kept *kept, const struct clg_batch *batch);

/* The same for a triangle of a square C, whose other elements it does not touch. */
void clg_keep_restore_triangle(struct clg_kept *kept, const struct clg_gemm *c, clgemm_uplo uplo);

/* Accepts NULL. */
void clg_keep_release(struct clg_kept *kept);

#endif
