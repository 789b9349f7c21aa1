/* SPDX-License-Identifier: Apache-2.0
 * Medians. */
#ifndef CLGEMM_COMMON_MEDIAN_H
#define CLGEMM_COMMON_MEDIAN_H

/* Sorts the values, of which there is one at least, from the least up, and returns their median. */
double median_sort(double *values, int count);

/* The median of values that are sorted. */
double median_sorted(const double *values, int count);

#endif
