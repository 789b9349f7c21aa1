/* SPDX-License-Identifier: Apache-2.0
 * What the drop-in tells of its calls: lines in the log, and counts for `clgemm run`. */
#ifndef CLG_BLAS_TRACE_H
#define CLG_BLAS_TRACE_H

#include "blas/call.h"
#include "blas/summary.h"

/* Whether anybody wants to know how long calls take; cheap. */
bool clg_is_watched(void);

/* Notes a call that is through and took so many nanoseconds: counts it, and writes its line if it
 * was on the CPU; those on the device have the library's own. */
void clg_note_gemm(enum clg_routine routine, const struct clg_gemm *call, enum clg_where where,
                   int64_t ns);
void clg_note_syrk(enum clg_routine routine, const struct clg_syrk *call, enum clg_where where,
                   int64_t ns);

#endif
