/* SPDX-License-Identifier: Apache-2.0
 * Records what the queues of a pipeline did. */
#include "run/pipe_trace_queues.h"

#include <math.h>

#include "device/event.h"

/* The offset from the device's clock to the host's: a command was queued before the call that
 * enqueued it returned. */
static double shift_of(const struct clg_pipe_transfer *all, int count, double least) {
    struct clg_event_times times;
    for (int i = 0; i < count; i++)
        if (clg_event_times(all[i].event, &times))
            least = fmin(least, all[i].enqueued - times.queued);
    return least;
}

static bool add(struct clg_pipe_trace *trace, enum clg_pipe_lane lane, int matrix, cl_event first,
                cl_event last, double shift) {
    struct clg_event_times begin, end;
    if (!clg_event_times(first, &begin) || !clg_event_times(last, &end))
        return false;
    const struct clg_pipe_span span = {
        .lane = lane, .matrix = matrix, .begin = begin.start + shift, .end = end.end + shift};
    clg_pipe_trace_add(trace, &span);
    return true;
}

bool clg_pipe_trace_queues(const struct clg_pipe_run *r) {
    struct clg_pipe_trace *trace = r->trace;
    const struct clg_pipe_plan *plan = r->plan;
    const double shift = shift_of(r->down, plan->num_down, shift_of(r->up, plan->num_up, INFINITY));
    bool whole = isfinite(shift);
    for (int i = 0; i < plan->num_up && whole; i++)
        whole = add(trace, CLG_LANE_UP, plan->up[i].matrix, r->up[i].event, r->up[i].event, shift);
    for (int s = 0; s < plan->num_steps && whole; s++)
        whole = add(trace, CLG_LANE_RUN, CLG_C, r->began[s] ? r->began[s] : r->ran[s], r->ran[s],
                    shift);
    for (int i = 0; i < plan->num_down && whole; i++)
        whole = add(trace, CLG_LANE_DOWN, CLG_C, r->down[i].event, r->down[i].event, shift);
    return whole;
}
