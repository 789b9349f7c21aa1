/* SPDX-License-Identifier: Apache-2.0
 * The geometric mean of ratios, and the extremes. */
#include "bench/report/mean.h"

#include <math.h>

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
    mean->logarithms += log(ratio);
    mean->count++;
}

double mean_geometric(const struct mean *mean) {
    return mean->count ? exp(mean->logarithms / (double)mean->count) : 0;
}
