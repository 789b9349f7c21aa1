/* SPDX-License-Identifier: Apache-2.0
 * The geometric mean of ratios, and the extremes. */
#include "bench/report/mean.h"

#include <math.h>

const double mean_lines[MEAN_LINES] = {0.97, 0.92};

void mean_add(struct mean *mean, double ratio, size_t at) {
    if (ratio <= 0)
        return;
    if (!mean->count || ratio < mean->least) {
        mean->least = ratio;
        mean->least_at = at;
    }
    if (!mean->count || ratio > mean->most) {
        mean->most = ratio;
        mean->most_at = at;
    }
    for (int i = 0; i < MEAN_LINES; i++)
        mean->below[i] += ratio < mean_lines[i];
    mean->logarithms += log(ratio);
    mean->count++;
}

double mean_geometric(const struct mean *mean) {
    return mean->count ? exp(mean->logarithms / (double)mean->count) : 0;
}
