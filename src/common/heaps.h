/* SPDX-License-Identifier: Apache-2.0
 * Samples that fall into two clusters, here called heaps. This happens when the scheduler gives
 * each thread its own core at some times and makes two threads share one at others. */
#ifndef CLGEMM_COMMON_HEAPS_H
#define CLGEMM_COMMON_HEAPS_H

#include <stdbool.h>

/* All zero: there is one heap. */
struct heaps {
    int quick_count, slow_count; /* number of samples */
    double quick, slow;          /* their medians, seconds */
    int cores;
};

/* Whether the samples, at most TIMING_SAMPLES_MAX, fall into two heaps of at least two samples
 * each. The heaps' ratio must be near the number of cores, and their gap larger than the spread
 * within each. */
bool heaps_find(struct heaps *out, const double *seconds, int count, int cores);

/* The number of cores that this process may run on. */
int heaps_cores(void);

#endif
