/* SPDX-License-Identifier: Apache-2.0
 * The matrices of the examples of docs/migrate.md, C := 1.5 A B^T + 0.5 C, and the judgement on two
 * results. */
#ifndef CLG_TEST_MIGRATE_H
#define CLG_TEST_MIGRATE_H

#include <stdio.h>

enum { M = 50, N = 37, K = 29, SKIP = 77 /* exit status where there is no device */ };

struct matrices {
    float a[M * K], b[N * K];
    float c[2][M * N]; /* theirs, ours: the same before */
};

/* Small integers, so that sums are exact and both must agree to the last bit. */
static inline void fill(struct matrices *out) {
    for (int i = 0; i < M * K; i++)
        out->a[i] = (float)(i * 7 % 11 - 5);
    for (int i = 0; i < N * K; i++)
        out->b[i] = (float)(i * 5 % 13 - 6);
    for (int i = 0; i < M * N; i++)
        out->c[0][i] = out->c[1][i] = (float)(2 * (i % 9));
}

/* The exit status: 0 if both are the same, and what they ought to be. */
static inline int agree(const struct matrices *all) {
    for (int i = 0; i < M * N; i++) {
        float exact = 0.5F * (float)(2 * (i % 9));
        for (int p = 0; p < K; p++)
            exact += 1.5F * all->a[i / N * K + p] * all->b[i % N * K + p];
        if (all->c[0][i] != exact || all->c[1][i] != exact) {
            printf("element %d: theirs %g, ours %g, exact %g\n", i, (double)all->c[0][i],
                   (double)all->c[1][i], (double)exact);
            return 1;
        }
    }
    return 0;
}

#endif
