/* SPDX-License-Identifier: Apache-2.0
 * Matrices in host memory: one call, and no OpenCL in the program.
 *
 *     cc host.c $(pkg-config --cflags --libs clgemm) && ./a.out */
#include <clgemm.h>
#include <stdio.h>

enum { M = 120, N = 90, K = 70, LDA = 80 };

int main(void) {
    /* Row-major: element (i, p) of A is a[i * LDA + p]. Its rows are LDA elements apart, as in a
     * part of a larger matrix; the library touches only the first K elements of each. */
    static float a[M * LDA], b[K * N], c[M * N];
    for (int i = 0; i < M * LDA; i++)
        a[i] = (float)(i % 13) - 6;
    for (int i = 0; i < K * N; i++)
        b[i] = (float)(i % 7) - 3;
    for (int i = 0; i < M * N; i++)
        c[i] = 1;

    /* C = 2 A B - C. The call returns when C is written. The first call opens the device that
     * CLGEMM_DEVICE names, else the best one. */
    clgemm_status status = clgemm_sgemm(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, M, N, K,
                                        2.0F, a, LDA, b, N, -1.0F, c, N);
    if (status != CLGEMM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", clgemm_status_name(status), clgemm_last_error());
        return 1;
    }

    /* Sums of small whole numbers are exact, so every element must be equal. */
    int wrong = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int p = 0; p < K; p++)
                sum += a[i * LDA + p] * b[p * N + j];
            wrong += c[i * N + j] != 2 * sum - 1;
        }
    printf("host: %d of %d elements are right\n", M * N - wrong, M * N);
    return wrong != 0;
}
