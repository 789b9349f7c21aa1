/* SPDX-License-Identifier: Apache-2.0
 * Shows where the time of one call on host matrices goes: what queues and threads do when. */
#ifndef BENCH_TIMELINE_H
#define BENCH_TIMELINE_H

#include "bench/mode.h"
#include "host/host.h"

enum { TIMELINE_SPANS = 1 << 14 };

struct timeline_result {
    struct mode_result head;
    bool forced; /* copies were forced, on a device that shares the host's memory */
    double began,
        seconds; /* of the fastest call: its start on the spans' clock, and its duration */
    double median, expected; /* seconds: of all traced calls; predicted by the plan */
    int count, lost;         /* number of spans, and of those dropped for lack of room */
    struct clg_pipe_span spans[TIMELINE_SPANS]; /* sorted by lane, thread and time */
};

extern const struct mode timeline_mode;

/* Its parts: both take a struct mode_report. */
report_writer timeline_report_write;
void timeline_draw(FILE *out, const struct mode_report *report);

/* The "schema" member of its JSON. */
#define TIMELINE_SCHEMA "clgemm-bench-timeline/1"

#endif
