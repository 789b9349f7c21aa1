/* SPDX-License-Identifier: Apache-2.0
 * Measures what the library's choice of parameters costs: times it beside every other built-in
 * one. */
#ifndef BENCH_REGRET_H
#define BENCH_REGRET_H

#include "bench/candidates.h"
#include "bench/mode.h"
#include "gemm/family.h"

/* How many of the fastest get the full method, beside the chosen one. */
enum { REGRET_FINALISTS = 4 };

/* One that got the full method. */
struct finalist {
    char text[CLG_DESCRIPTION], options[CLG_MAX_OPTIONS];
    struct timing timing;
    struct heaps heaps; /* of the samples, on a CPU */
};

struct regret_result {
    struct mode_result head;
    bool built_ahead;     /* missing programs could not be built in advance */
    enum checked checked; /* of all finalists */
    struct finalist finalists[1 + REGRET_FINALISTS]; /* [0] is the chosen one */
    int num_finalists;
    int best;               /* the best finalist, by its least sample */
    size_t tried, left_out; /* candidates that ran at full size; that were too slow or failed */
};

/* Time of the chosen one over that of the best, by their least samples. Delays of the host's
 * threads vary between samples by more than the difference of kernels that take microseconds. 0 if
 * the problem was not measured. */
double regret_of(const struct regret_result *result);

extern const struct mode regret_mode;

/* One of its parts: writes a struct mode_report. */
report_writer regret_report_write;

/* The "schema" member of its JSON. */
#define REGRET_SCHEMA "clgemm-bench-regret/1"

#endif
