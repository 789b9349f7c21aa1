/* SPDX-License-Identifier: Apache-2.0
 * What the drop-in tells of its calls: lines in the log, and counts for `clgemm run`. */
#ifndef CLG_BLAS_TRACE_H
#define CLG_BLAS_TRACE_H

#include "blas/call.h"
#include "blas/summary.h"

/* Whether anybody wants to know how long calls take; cheap. */
bool clg_is_watched(void);

/* The time, for the notes below; 0 where nobody wants to know. */
int64_t clg_note_start(void);

/* Notes a call that is through and took so many nanoseconds: counts it, and writes its line if it
 * was on the CPU; those on the device have the library's own. */
void clg_note_gemm(enum clg_routine routine, const struct clg_gemm *call, enum clg_where where,
                   int64_t ns);

/* Groups of a batch that went one way. */
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

/* They began at `start`; where that is 0 nothing is noted. */
void clg_note_batch(enum clg_routine routine, const struct clg_noted *noted, enum clg_where where,
                    int64_t start);

void clg_note_syrk(enum clg_routine routine, const struct clg_syrk *call, enum clg_where where,
                   int64_t ns);

#endif
