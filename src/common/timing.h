/* SPDX-License-Identifier: Apache-2.0
 * Times several contenders against one another: takes one struct of parameters, returns numbers. */
#ifndef CLGEMM_COMMON_TIMING_H
#define CLGEMM_COMMON_TIMING_H

#include <stdbool.h>

#include "src/common/quiet.h"

#define TIMING_SAMPLES_MAX 16

struct timing {
    double seconds[TIMING_SAMPLES_MAX]; /* of one call, in the order of measurement */
    int samples;
    int calls; /* in each sample */
    double median, min, p95;
    double spread;   /* (p95 - min) / median */
    double restless; /* cores that the process still used after its calls when the wait ended; 0: it
                        became quiet */
    bool failed;     /* run() returned false; all else is invalid */
};

struct timing_entry {
    /* Makes `calls` calls and returns when the last has ended; false if a call failed. */
    bool (*run)(void *arg, int calls);
    void *arg;
    struct timing *out;
    double expected; /* seconds of a call; 0: not known, found by calls of its own */
};

struct timing_params {
    struct timing_entry *entries;
    int count;
    bool warm;             /* each was called before: programs are built, memory is touched */
    double sample_seconds; /* duration of a sample, unless one call takes longer */
    int calls_max;         /* in one sample */
    int samples;           /* fewer if a call takes longer than TIMING_SLOW */
    bool alike; /* entries are calls of one library and do not disturb each other: wait for quiet
                   only before the first */
    const struct quiet_source *clocks; /* NULL: the process's own */
};

#define TIMING_SLOW 2.0

/* Entries take three turns in their order, each a block of a third of the samples; with few
 * samples, one block. A block begins when the process is quiet (quiet.h), after untimed calls that
 * last as long as a sample: the previous contender has emptied the caches, let the device's clocks
 * fall and moved the scheduler's threads. */
void timing_run(const struct timing_params *params);

/* Computes the median and the rest from at least one sample. */
void timing_summarize(struct timing *timing);

#endif
