/* SPDX-License-Identifier: Apache-2.0
 * Times several contenders against one another: one struct of parameters in, numbers out. */
#ifndef CLGEMM_COMMON_TIMING_H
#define CLGEMM_COMMON_TIMING_H

#include <stdbool.h>

#include "src/common/quiet.h"

#define TIMING_SAMPLES_MAX 16

struct timing {
    double seconds[TIMING_SAMPLES_MAX]; /* of one call, in the order measured */
    int samples;
    int calls; /* in each sample */
    double median, min, p95;
    double spread;   /* (p95 - min) / median */
    double restless; /* cores that the process kept busy after its calls until the wait was given
                        up; 0: it went quiet */
    bool failed;     /* run() returned false; nothing else counts */
};

struct timing_entry {
    /* Makes `calls` calls and returns when the last has ended; false: failed. */
    bool (*run)(void *arg, int calls);
    void *arg;
    struct timing *out;
    double expected; /* seconds of a call; 0: not known, and found by calls of its own */
};

struct timing_params {
    struct timing_entry *entries;
    int count;
    bool warm;                         /* each was called before: programs built, memory touched */
    double sample_seconds;             /* a sample takes this long, or one call */
    int calls_max;                     /* in one sample */
    int samples;                       /* fewer if a call takes longer than TIMING_SLOW */
    bool alike;                        /* entries are calls of one library, after which others need
                                          no quiet: it is waited for ahead of the first alone */
    const struct quiet_source *clocks; /* NULL: the process's own */
};

#define TIMING_SLOW 2.0

/* Entries take three turns in their order, a block of a third of the samples each; where samples
 * are few, a block is one. A block begins when the process is quiet (quiet.h), after untimed calls
 * for as long as a sample: the contender before has emptied the caches, let the device's clocks
 * fall and moved the scheduler's threads about. */
void timing_run(const struct timing_params *params);

/* The median and the rest from the samples, of which there is one at least. */
void timing_summarize(struct timing *timing);

#endif
