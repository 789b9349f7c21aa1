/* SPDX-License-Identifier: Apache-2.0
 * What the library's choice of parameters costs: it is timed beside every other built-in one. */
#ifndef BENCH_REGRET_H
#define BENCH_REGRET_H

#include "bench/candidates.h"
#include "bench/mode.h"
#include "tune/candidate.h"

/* How many of the quickest are timed at length, beside the chosen one. */
enum { REGRET_FINALISTS = 4 };

/* One that was timed at length. */
struct finalist {
    char text[CLG_CANDIDATE_TEXT], options[CLG_MAX_OPTIONS];
    struct timing timing;
    struct heaps heaps; /* of the samples, on a CPU */
};

struct regret_result {
    struct mode_result head;
    bool built_ahead;                                /* what has to be compiled now could not be */
    enum checked checked;                            /* of all that were timed at length */
    struct finalist finalists[1 + REGRET_FINALISTS]; /* [0] is the chosen one */
    int num_finalists;
    int best;               /* of them, by its least sample */
    size_t tried, left_out; /* candidates that ran at full size; that were too slow or failed */
};

/* Time of the chosen one over that of the best, of their least samples: what a host's threads add
 * comes and goes, and differs more between samples than kernels of some microseconds do. 0 where
 * the problem was not measured. */
double regret_of(const struct regret_result *result);

extern const struct mode regret_mode;

/* One of its parts: writes a struct mode_report. */
report_writer regret_report_write;

/* The "schema" of its JSON. */
#define REGRET_SCHEMA "clgemm-bench-regret/1"

#endif
