/* SPDX-License-Identifier: Apache-2.0
 * The geometric mean of ratios, and the extremes. */
#ifndef BENCH_REPORT_MEAN_H
#define BENCH_REPORT_MEAN_H

#include <stddef.h>

/* Ratios that a mean counts those below of: behind by what a user could notice, and clearly behind.
 */
enum { MEAN_LINES = 2 };
extern const double mean_lines[MEAN_LINES];

/* All zero is the mean of nothing. */
struct mean {
    size_t count, below[MEAN_LINES];
    double logarithms; /* their sum */
    double least, most;
    size_t least_at, most_at; /* which of the ratios */
};

/* Takes in a ratio; one that is not above 0 is missing, and left out. */
void mean_add(struct mean *mean, double ratio, size_t at);

/* 0 of nothing. */
double mean_geometric(const struct mean *mean);

#endif
