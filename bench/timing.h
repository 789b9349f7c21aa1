/* SPDX-License-Identifier: Apache-2.0
 * Times several contenders against one another: one struct of parameters in, numbers out. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdbool.h>

#define TIMING_SAMPLES_MAX 16

struct timing {
    double seconds[TIMING_SAMPLES_MAX]; /* of one call, in the order measured */
    int samples;
    int calls; /* in each sample */
    double median, min, p95;
    double spread; /* (p95 - min) / median */
    bool failed;   /* run() returned false; nothing else counts */
};

struct timing_entry {
    /* Makes `calls` calls and returns when the last has ended; false: failed. */
    bool (*run)(void *arg, int calls);
    void *arg;
    double rest; /* seconds to wait after each sample, for threads that go on spinning */
    struct timing *out;
};

struct timing_params {
    struct timing_entry *entries;
    int count;
    bool warm;             /* each was called before: programs built, memory touched */
    double sample_seconds; /* a sample takes this long, or one call */
    int calls_max;         /* in one sample */
    int samples;           /* fewer if a call takes longer than TIMING_SLOW */
};

#define TIMING_SLOW 2.0

/* Entries take turns, one sample each, in their order, until all samples are taken. */
void timing_run(const struct timing_params *params);

/* The median and the rest from the samples, of which there is one at least. */
void timing_summarize(struct timing *timing);

/* Seconds of a clock that only runs forward. */
double timing_now(void);

#endif
