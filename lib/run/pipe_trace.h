/* SPDX-License-Identifier: Apache-2.0
 * When what a pipeline does began and ended: for whoever looks where the time of a call goes. The
 * engine's `trace` is NULL otherwise, and then nothing is noted. */
#ifndef CLG_RUN_PIPE_TRACE_H
#define CLG_RUN_PIPE_TRACE_H

/* Who did it: one of the queues, by the device's profiling times, or a thread. */
enum clg_pipe_lane { CLG_LANE_UP, CLG_LANE_RUN, CLG_LANE_DOWN, CLG_LANE_THREAD, CLG_LANES };

struct clg_pipe_span {
    enum clg_pipe_lane lane;
    int thread;        /* of CLG_LANE_THREAD; 0: the caller */
    int matrix;        /* whose piece; of CLG_LANE_RUN: C */
    double begin, end; /* as clg_clock_seconds; a device's clock is shifted to that, by the earliest
                          that its commands can have been enqueued */
};

/* Of one call at a time. */
struct clg_pipe_trace {
    struct clg_pipe_span *spans; /* the looker's, of so much room */
    int room;
    int count;       /* atomic; past the room: the others are lost. Set it to 0 before a call */
    double expected; /* seconds, by the plan; the same */
};

/* Adds a span while there is room. */
void clg_pipe_trace_add(struct clg_pipe_trace *trace, const struct clg_pipe_span *span);

#endif
