/* SPDX-License-Identifier: Apache-2.0
 * The judge of the compiled clients. No BLAS is used here: what is judged is which BLAS a program
 * ends up with. */
#include "judge.h"

#include <math.h>
#include <stdio.h>

static double element(struct view x, long i, long j) {
    return (double)x.data[i * x.row + j * x.column];
}

int judge(const char *what, long m, long n, long k, struct view a, struct view b, struct view c) {
    int wrong = 0;
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0, absolute = 0;
            for (long l = 0; l < k; l++) {
                double term = element(a, i, l) * element(b, l, j);
                sum += term;
                absolute += fabs(term);
            }
            double bound = (double)(k + 2) * 0x1p-24 * absolute;
            if (fabs(element(c, i, j) - sum) <= bound) /* false for a NaN */
                continue;
            if (!wrong++)
                printf("%s: C(%ld,%ld) is %.9g, should be %.9g within %.3g\n", what, i, j,
                       element(c, i, j), sum, bound);
        }
    printf("%s, %ld x %ld x %ld: %d wrong\n", what, m, n, k, wrong);
    return wrong;
}

int judge_columns(long m, long n, long k, const float *a, const float *b, const float *c) {
    return judge("columns", m, n, k, (struct view){a, 1, m}, (struct view){b, 1, k},
                 (struct view){c, 1, m});
}

void fill(float *values, long count, unsigned seed) {
    for (long i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)(seed >> 8) * 0x1p-23f - 1;
    }
}
