/* SPDX-License-Identifier: Apache-2.0
 * What the measures with reports of their own (--regret, --overhead, --growth, --timeline) share:
 * one result for each problem, one device, and a report. */
#ifndef BENCH_MODE_H
#define BENCH_MODE_H

#include "bench/measure.h"
#include "bench/report/report.h"

/* Each mode's result begins with this. */
struct mode_result {
    struct shape shape;
    struct transposes trans;
    enum outcome outcome;
    char why[256];   /* unless the outcome is OK */
    double restless; /* cores that the process used when it should have been quiet */
};

struct mode_report {
    const struct options *options;
    const struct baseline *baseline; /* NULL: none */
    struct context context;
    const void *results; /* of the mode's own type */
    size_t count;
};

struct mode {
    size_t result_size;
    /* Done once for all results, whose shapes and transposes are set. May add to the context. May
     * be NULL. */
    void (*begin)(void *results, size_t count, struct device *device, const struct options *options,
                  struct context *context);
    /* Fills a result, whose shape and transposes are set. Every kind of failure ends there. */
    void (*measure)(void *result, struct device *device, const struct options *options);
    report_writer *write;                                      /* of a struct mode_report */
    void (*draw)(FILE *out, const struct mode_report *report); /* NULL: draws nothing */
    /* Whether the results reach the baseline's, by --fail-below. Says on stderr where not. NULL:
     * there is no baseline. */
    bool (*passes)(const struct mode_report *report);
};

/* Measures, writes and judges; returns the exit code. */
int mode_run(const struct mode *mode, const struct options *options);

/* Records the first line of an error. Always returns false. */
bool mode_fail(struct mode_result *result, enum outcome outcome, const char *why);

/* Makes the problem of a result and its matrices on host and device, with memory left for a judge
 * if it is `judged`. If that is not possible, marks the result as skipped and returns false.
 * Release the problem and unload the device in any case. */
bool mode_load(struct mode_result *result, struct problem *problem, struct device *device,
               const struct options *options, bool judged);

/* CSV_PROBLEM and "outcome,", and the same as members of a JSON object, with why. */
void mode_csv(FILE *out, const struct options *options, const struct mode_result *result);
void mode_json(struct clg_json *json, const struct options *options,
               const struct mode_result *result);

/* The text of a check cell if the outcome is not OK. */
void mode_cell(char *cell, size_t size, const struct mode_result *result);

#endif
