/* SPDX-License-Identifier: Apache-2.0
 * The geometric mean of ratios, and the extremes. */
#ifndef BENCH_REPORT_MEAN_H
#define BENCH_REPORT_MEAN_H

#include <stddef.h>

/* All zero is the mean of nothing. */
struct mean {
    size_t count;
    double logarithms; /* their sum */
    double least, most;
    size_t least_at, most_at; /* which of the ratios */
};

/* Takes in a ratio; one that is not above 0 is missing, and left out. */
void mean_add(struct mean *mean, double ratio, size_t at);

/* 0 of nothing. */
double mean_geometric(const struct mean *mean);

#endif
