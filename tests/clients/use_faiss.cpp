// SPDX-License-Identifier: Apache-2.0
// faiss as a client: IndexFlatL2 computes the distances of many queries from a product, by sgemm_.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <faiss/IndexFlat.h>

#include "judge.h"

// |x - y|^2 is computed as |x|^2 + |y|^2 - 2 x.y, three sums of d terms: the bound of
// docs/testing.md for each, plus the roundings of the additions.
static bool right(const float *x, const float *y, int d, float distance) {
    double exact = 0, absolute = 0;
    for (int l = 0; l < d; l++) {
        double u = x[l], v = y[l];
        exact += (u - v) * (u - v);
        absolute += u * u + v * v + 2 * std::fabs(u * v);
    }
    return std::fabs(distance - exact) <= (d + 5) * 0x1p-24 * absolute;
}

int main() {
    const int d = 96, points = 1500, queries = 150, nearest = 5;
    std::vector<float> base(points * d), query(queries * d), distances(queries * nearest);
    std::vector<std::int64_t> labels(queries * nearest);
    fill(base.data(), points * d, 1);
    fill(query.data(), queries * d, 2);
    faiss::IndexFlatL2 index(d);
    index.add(points, base.data());
    index.search(queries, query.data(), nearest, distances.data(), labels.data());

    int wrong = 0;
    for (int q = 0; q < queries; q++)
        for (int r = 0; r < nearest; r++) {
            std::int64_t found = labels[q * nearest + r];
            wrong += found < 0 || found >= points ||
                     !right(&query[q * d], &base[found * d], d, distances[q * nearest + r]);
        }
    // The nearest itself: no other point may be nearer by more than the rounding error.
    for (int q = 0; q < queries; q++)
        for (int p = 0; p < points; p++) {
            double exact = 0;
            for (int l = 0; l < d; l++)
                exact += std::pow(double(query[q * d + l]) - double(base[p * d + l]), 2);
            wrong += exact < distances[q * nearest] * (1 - 1e-5);
        }
    std::printf("IndexFlatL2, %d queries of %d points: %d wrong\n", queries, points, wrong);
    return wrong != 0;
}
