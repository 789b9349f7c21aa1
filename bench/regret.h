/* SPDX-License-Identifier: Apache-2.0
 * What the library's choice of parameters costs: it is timed beside every other built-in one. */
#ifndef BENCH_REGRET_H
#define BENCH_REGRET_H

#include "candidates.h"
#include "measure.h"
#include "report.h"

/* How many of the quickest are timed at length, beside the chosen one. */
enum { REGRET_FINALISTS = 4 };

/* One that was timed at length. */
struct finalist {
    char text[CANDIDATE_TEXT], options[CLG_MAX_OPTIONS];
    struct timing timing;
};

struct regret_result {
    struct shape shape;
    struct transposes trans;
    enum outcome outcome;
    enum checked checked; /* of all that were timed at length */
    char why[256];
    struct finalist finalists[1 + REGRET_FINALISTS]; /* [0] is the chosen one */
    int num_finalists;
    int best; /* of them, by median */
    size_t tried,
        left_out; /* candidates that ran at full size; those that were too slow or failed */
};

/* Fills the result; every kind of failure ends there. */
void regret_measure(struct regret_result *result, struct device *device,
                    const struct options *options, struct shape shape, struct transposes trans);

/* Time of the chosen one over that of the best; 0 where the problem was not measured. */
double regret_of(const struct regret_result *result);

struct regret_report {
    const struct options *options;
    struct context context;
    const struct regret_result *results;
    size_t count;
};

/* Measures, writes, judges; returns the exit code. */
int regret(const struct options *options);

/* The "schema" of its JSON. */
#define REGRET_SCHEMA "clgemm-bench-regret/1"

/* Writes the report in the format that the options name. */
void regret_report_write(FILE *out, const struct regret_report *report);

#endif
