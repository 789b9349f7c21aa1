/* SPDX-License-Identifier: Apache-2.0
 * What the drop-in tells: lines as the library's with CLGEMM_VERBOSE, and counts for `clgemm run`.
 */
#ifndef CLG_BLAS_TRACE_H
#define CLG_BLAS_TRACE_H

#include "blas/call.h"
#include "blas/summary.h"

enum { CLG_TRACE_CALLS = 1, CLG_TRACE_ROUTES = 2 };

/* Writes a line, "clgemm: " before it, to CLGEMM_LOGFILE or stderr, where CLGEMM_VERBOSE is that
 * level or more. */
void clg_trace(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes such a line whether it was asked for or not: for what must not pass unseen. */
void clg_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether anybody wants to know how long calls take; cheap. */
bool clg_is_watched(void);

/* A clock that only moves forward, in nanoseconds. */
uint64_t clg_now_ns(void);

/* Notes a call that is through: counts it, and writes its line if it was on the CPU; those on the
 * device have the library's own. */
void clg_note_gemm(const struct clg_gemm *call, enum clg_where where, uint64_t ns);
void clg_note_syrk(const struct clg_syrk *call, enum clg_where where, uint64_t ns);

#endif
