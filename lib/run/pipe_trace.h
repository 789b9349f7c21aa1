/* SPDX-License-Identifier: Apache-2.0
 * Records when the parts of a pipeline began and ended, to show where the time of a call goes. If
 * the engine's `trace` is NULL, nothing is recorded. */
#ifndef CLG_RUN_PIPE_TRACE_H
#define CLG_RUN_PIPE_TRACE_H

/* What did the work: one of the queues, by the device's profiling times, or a thread. */
enum clg_pipe_lane { CLG_LANE_UP, CLG_LANE_RUN, CLG_LANE_DOWN, CLG_LANE_THREAD, CLG_LANES };

struct clg_pipe_span {
    enum clg_pipe_lane lane;
    int thread;        /* of CLG_LANE_THREAD; 0: the caller */
    int matrix;        /* that the piece belongs to; for CLG_LANE_RUN: C */
    double begin, end; /* as clg_clock_seconds(); times of a device are shifted to that clock by the
                          earliest times at which its commands can have been enqueued */
};

/* The trace of one call at a time. */
struct clg_pipe_trace {
    struct clg_pipe_span *spans; /* owned by the user, with `room` elements */
    int room;
    int count;       /* atomic; spans beyond `room` are lost. Set to 0 before a call */
    double expected; /* seconds predicted by plans; set to 0 before a call */
};

/* Adds a span if there is room. */
void clg_pipe_trace_add(struct clg_pipe_trace *trace, const struct clg_pipe_span *span);

#endif
