/* SPDX-License-Identifier: Apache-2.0
 * Samples that fall into two heaps: what comes of a scheduler that gives each thread a core at one
 * time, and two of them the same core at another. */
#ifndef CLGEMM_COMMON_HEAPS_H
#define CLGEMM_COMMON_HEAPS_H

#include <stdbool.h>

/* All zero: there is one heap. */
struct heaps {
    int quick_count, slow_count; /* samples */
    double quick, slow;          /* their medians, seconds */
    int cores;
};

/* Whether the samples, at most TIMING_SAMPLES_MAX, fall into two heaps of two or more, which lie a
 * factor near the number of cores apart, and farther than the samples within each. */
bool heaps_find(struct heaps *out, const double *seconds, int count, int cores);

/* The cores that this process may run on. */
int heaps_cores(void);

#endif
