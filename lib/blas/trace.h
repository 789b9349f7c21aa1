/* SPDX-License-Identifier: Apache-2.0
 * Records the drop-in's calls: lines in the log, and counts for `clgemm run`. */
#ifndef CLG_BLAS_TRACE_H
#define CLG_BLAS_TRACE_H

#include "blas/call.h"
#include "blas/summary.h"

/* The current time, for the functions below. 0 if calls are not timed, neither for the log nor for
 * `clgemm run`. Cheap. */
int64_t clg_note_start(void);

/* A product, or groups of a batch that ran in the same place. */
struct clg_noted {
    struct clg_gemm first; /* of the first group */
    int64_t groups, products;
    double flops;
};
static inline struct clg_noted clg_noted_of(const struct clg_batch *group) {
    return (struct clg_noted){.first = group->gemm,
                              .groups = 1,
                              .products = group->count,
                              .flops = clg_gemm_flops(&group->gemm) * (double)group->count};
}

/* Record what began at `start`, and do nothing if that is 0: count it, and write a line if it ran
 * on the CPU. For calls on the device, libclgemm writes the line. */
void clg_note_batch(enum clg_routine routine, const struct clg_noted *noted, enum clg_where where,
                    int64_t start);
void clg_note_level3(enum clg_routine routine, const struct clg_level3 *call, enum clg_where where,
                     int64_t start);

#endif
