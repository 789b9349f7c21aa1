/* SPDX-License-Identifier: Apache-2.0
 * A user's program, as C and as C++: one small product, checked; 77 where there is no device. */
#ifndef CLGEMM_TESTS_PACKAGE_USE_H
#define CLGEMM_TESTS_PACKAGE_USE_H

#include <clgemm.h>
#include <stdio.h>

/* Row-major: C = 2 A B - C with small whole numbers, so that the result is exact. */
static int use(void) {
    enum { M = 3, N = 5, K = 4 };
    float a[M * K], b[K * N], c[M * N];
    int i, j, p, wrong = 0;
    for (i = 0; i < M * K; i++)
        a[i] = (float)(i % 7 - 3);
    for (i = 0; i < K * N; i++)
        b[i] = (float)(i % 5 - 2);
    for (i = 0; i < M * N; i++)
        c[i] = (float)i;
    clgemm_status status = clgemm_sgemm(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, M, N, K,
                                        2, a, K, b, N, -1, c, N);
    if (status != CLGEMM_SUCCESS) {
        printf("%s: %s\n", clgemm_status_name(status), clgemm_last_error());
        return status == CLGEMM_STATUS_NO_DEVICE ? 77 : 1;
    }
    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++) {
            float sum = 0;
            for (p = 0; p < K; p++)
                sum += a[i * K + p] * b[p * N + j];
            wrong += c[i * N + j] != 2 * sum - (float)(i * N + j);
        }
    printf("libclgemm %s: %d of %d elements wrong\n", clgemm_version(), wrong, M * N);
    return wrong ? 1 : 0;
}

#endif
