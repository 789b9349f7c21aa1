/* SPDX-License-Identifier: Apache-2.0
 * Sorts numbers for their median. */
#include "src/common/median.h"

#include <stdlib.h>

static int by_value(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double median_sorted(const double *values, int count) {
    const int half = count / 2;
    return count % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double median_sort(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_value);
    return median_sorted(values, count);
}
