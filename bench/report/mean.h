/* SPDX-License-Identifier: Apache-2.0
 * The geometric mean of ratios, and the extremes. */
#ifndef BENCH_REPORT_MEAN_H
#define BENCH_REPORT_MEAN_H

#include <stddef.h>

/* Thresholds of a mean's counts: slower by a noticeable amount, and clearly slower. */
enum { MEAN_LINES = 2 };
extern const double mean_lines[MEAN_LINES];

/* All zero is the mean of nothing. */
struct mean {
    size_t count, below[MEAN_LINES];
    double logarithms; /* their sum */
    double least, most;
    size_t least_at, most_at; /* index of that ratio */
};

/* Adds a ratio. One that is not above 0 is missing, and is left out. */
void mean_add(struct mean *mean, double ratio, size_t at);

/* 0 of no ratios. */
double mean_geometric(const struct mean *mean);

#endif
