/* SPDX-License-Identifier: Apache-2.0
 * Finds two clusters ("heaps") among samples. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "src/common/heaps.h"

#include <math.h>
#include <sched.h>
#include <string.h>

#include "src/common/median.h"
#include "src/common/timing.h"

/* A heap has at least this many samples; the gap between heaps is at least this multiple of the
 * spread within one; and the ratio of their medians is this near to the number of cores. */
enum { FEWEST = 2 };
#define GAP 1.25
#define FACTOR_LEAST 0.7
#define FACTOR_MOST 1.4

int heaps_cores(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

/* The gap before the sample `at`, relative to the spread on either side. The upper half of the slow
 * heap does not count, because a sample may be slow for any reason. */
static double gap_at(const double *sorted, int count, int at) {
    const double spread =
        fmax(sorted[at - 1] / sorted[0], median_sorted(sorted + at, count - at) / sorted[at]);
    return sorted[at] / sorted[at - 1] / spread;
}

bool heaps_find(struct heaps *out, const double *seconds, int count, int cores) {
    double sorted[TIMING_SAMPLES_MAX], widest = 0;
    int at = 0;
    *out = (struct heaps){0};
    if (cores < 2 || count < 2 * FEWEST || count > TIMING_SAMPLES_MAX)
        return false;
    memcpy(sorted, seconds, (size_t)count * sizeof *sorted);
    median_sort(sorted, count);
    if (sorted[0] <= 0)
        return false;
    for (int i = FEWEST; i <= count - FEWEST; i++) {
        const double gap = gap_at(sorted, count, i);
        if (gap > widest) {
            widest = gap;
            at = i;
        }
    }
    const double quick = median_sorted(sorted, at), slow = median_sorted(sorted + at, count - at);
    if (widest < GAP || slow < FACTOR_LEAST * cores * quick || slow > FACTOR_MOST * cores * quick)
        return false;
    *out = (struct heaps){at, count - at, quick, slow, cores};
    return true;
}
