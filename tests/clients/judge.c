/* SPDX-License-Identifier: Apache-2.0
 * The judge of the compiled clients. It calls no BLAS, because the program's BLAS is under test. */
#include "judge.h"

#include <math.h>
#include <stdio.h>

static long double element(struct view x, long i, long j) {
    long at = i * x.row + j * x.column;
    return x.size == sizeof(double) ? ((const double *)x.data)[at] : ((const float *)x.data)[at];
}

int judge(const char *what, long m, long n, long k, struct view a, struct view b, struct view c) {
    double roundoff = c.size == sizeof(double) ? 0x1p-53 : 0x1p-24;
    int wrong = 0;
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++) {
            long double sum = 0, absolute = 0;
            for (long l = 0; l < k; l++) {
                long double term = element(a, i, l) * element(b, l, j);
                sum += term;
                absolute += fabsl(term);
            }
            long double bound = (long double)(k + 2) * roundoff * absolute;
            if (fabsl(element(c, i, j) - sum) <= bound) /* false for a NaN */
                continue;
            if (!wrong++)
                printf("%s: C(%ld,%ld) is %.17g, should be %.17g within %.3g\n", what, i, j,
                       (double)element(c, i, j), (double)sum, (double)bound);
        }
    printf("%s, %ld x %ld x %ld: %d wrong\n", what, m, n, k, wrong);
    return wrong;
}

int judge_columns(long m, long n, long k, const float *a, const float *b, const float *c) {
    return judge("columns", m, n, k, (struct view){a, 1, m, sizeof *a},
                 (struct view){b, 1, k, sizeof *b}, (struct view){c, 1, m, sizeof *c});
}

static unsigned next(unsigned seed) {
    return seed * 1664525u + 1013904223u;
}

void fill(float *values, long count, unsigned seed) {
    for (long i = 0; i < count; i++) {
        seed = next(seed);
        values[i] = (float)(seed >> 8) * 0x1p-23f - 1;
    }
}

void fill_wide(double *values, long count, unsigned seed) {
    for (long i = 0; i < count; i++) {
        unsigned high = seed = next(seed);
        seed = next(seed);
        values[i] = high * 0x1p-31 + (seed >> 16) * 0x1p-47 - 1;
    }
}
