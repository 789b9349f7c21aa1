/* SPDX-License-Identifier: Apache-2.0
 * The verbose line of a call: what ran, where, why, how long, and the command that repeats it. */
#ifndef CLG_API_TRACE_H
#define CLG_API_TRACE_H

#include "gemm/plan.h"

/* Logs a call that ran. A negative `ms` is unknown and left out. */
void clg_trace_call(const struct clg_call *call, const struct clg_plan *plan,
                    const struct clg_facts *facts, double ms);

/* Logs a call that failed, with its last error. */
void clg_trace_failure(const struct clg_call *call, clgemm_status status);

#endif
