/* SPDX-License-Identifier: Apache-2.0
 * Many small products of one size in one call.
 *
 *     cc batch.c $(pkg-config --cflags --libs clgemm) && ./a.out
 *
 * C[z] = A[z] B for z from 0 to BATCH - 1: each product has its own A and C, all share one B. */
#include <clgemm.h>
#include <stdio.h>
#include <string.h>

enum { N = 16, SIZE = N * N, BATCH = 500 };

static float a[BATCH * SIZE], b[SIZE], c[BATCH * SIZE];

static int report(clgemm_status status) {
    if (status != CLGEMM_SUCCESS)
        fprintf(stderr, "%s: %s\n", clgemm_status_name(status), clgemm_last_error());
    return status != CLGEMM_SUCCESS;
}

/* Counts wrong elements. Sums of small whole numbers are exact, so they must be equal. */
static int count_wrong(void) {
    int wrong = 0;
    for (int z = 0; z < BATCH; z++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                float sum = 0;
                for (int p = 0; p < N; p++)
                    sum += a[z * SIZE + p * N + i] * b[j * N + p];
                wrong += c[z * SIZE + j * N + i] != sum;
            }
    return wrong;
}

int main(void) {
    const float alpha = 1, beta = 0;
    for (int i = 0; i < BATCH * SIZE; i++)
        a[i] = (float)(i % 11) - 5;
    for (int i = 0; i < SIZE; i++)
        b[i] = (float)(i % 7) - 3;

    /* Matrices at equal distances: strides say how far. Stride 0 is one matrix for all. */
    clgemm_desc desc = {.size = sizeof desc,
                        .type = CLGEMM_F32,
                        .layout = CLGEMM_COL_MAJOR,
                        .ta = CLGEMM_NO_TRANS,
                        .tb = CLGEMM_NO_TRANS,
                        .m = N,
                        .n = N,
                        .k = N,
                        .lda = N,
                        .ldb = N,
                        .ldc = N,
                        .batch = BATCH,
                        .stride_a = SIZE,
                        .stride_b = 0,
                        .stride_c = SIZE};
    if (report(clgemm_gemm(NULL, &desc, &alpha, a, b, &beta, c)))
        return 1;
    int wrong = count_wrong();

    /* Matrices anywhere: arrays of pointers, here in reverse order. */
    const void *as[BATCH], *bs[BATCH];
    void *cs[BATCH];
    for (int z = 0; z < BATCH; z++) {
        as[z] = &a[(BATCH - 1 - z) * SIZE];
        bs[z] = b;
        cs[z] = &c[(BATCH - 1 - z) * SIZE];
    }
    memset(c, 0, sizeof c);
    desc.batch = 0; /* the number of products is an argument */
    if (report(clgemm_gemm_batch(NULL, &desc, BATCH, &alpha, as, bs, &beta, cs)))
        return 1;
    wrong += count_wrong();

    printf("batch: %d of %d elements are right\n", 2 * BATCH * SIZE - wrong, 2 * BATCH * SIZE);
    return wrong != 0;
}
