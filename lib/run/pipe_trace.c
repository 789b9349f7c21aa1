/* SPDX-License-Identifier: Apache-2.0
 * Records when the parts of a pipeline began and ended. */
#include "run/pipe_trace.h"

void clg_pipe_trace_add(struct clg_pipe_trace *trace, const struct clg_pipe_span *span) {
    const int at = __atomic_fetch_add(&trace->count, 1, __ATOMIC_RELAXED);
    if (at < trace->room)
        trace->spans[at] = *span;
}
