/* SPDX-License-Identifier: Apache-2.0
 * Medians. */
#ifndef CLGEMM_COMMON_MEDIAN_H
#define CLGEMM_COMMON_MEDIAN_H

/* Sorts at least one value in ascending order, and returns their median. */
double median_sort(double *values, int count);

/* The median of sorted values. */
double median_sorted(const double *values, int count);

#endif
