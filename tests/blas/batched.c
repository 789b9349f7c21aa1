/* SPDX-License-Identifier: Apache-2.0
 * A BLAS with batches, as OpenBLAS has from 0.3.30 on. It computes them product by product and says
 * which routine was called. */
#include <cblas.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))

static CBLAS_TRANSPOSE transpose_of(char letter) {
    return letter == 'N' ? CblasNoTrans : CblasTrans;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): `scalar` is a type */
#define BATCHES(l, scalar)                                                                         \
    static void l##batch(CBLAS_ORDER layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, \
                         int k, scalar alpha, const scalar *a, int lda, int stride_a,              \
                         const scalar *b, int ldb, int stride_b, scalar beta, scalar *c, int ldc,  \
                         int stride_c, int count) {                                                \
        for (int z = 0; z < count; z++)                                                            \
            cblas_##l##gemm(layout, ta, tb, m, n, k, alpha, a + (long)z * stride_a, lda,           \
                            b + (long)z * stride_b, ldb, beta, c + (long)z * stride_c, ldc);       \
        fprintf(stderr, "batched: " #l "gemm_batch_strided of %d\n", count);                       \
    }                                                                                              \
    EXPORT void cblas_##l##gemm_batch_strided(                                                     \
        CBLAS_ORDER layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k,           \
        scalar alpha, const scalar *a, int lda, int stride_a, const scalar *b, int ldb,            \
        int stride_b, scalar beta, scalar *c, int ldc, int stride_c, int count);                   \
    void cblas_##l##gemm_batch_strided(                                                            \
        CBLAS_ORDER layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k,           \
        scalar alpha, const scalar *a, int lda, int stride_a, const scalar *b, int ldb,            \
        int stride_b, scalar beta, scalar *c, int ldc, int stride_c, int count) {                  \
        l##batch(layout, ta, tb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, \
                 stride_c, count);                                                                 \
    }                                                                                              \
    EXPORT void l##gemm_batch_strided_(                                                            \
        const char *ta, const char *tb, const int *m, const int *n, const int *k,                  \
        const scalar *alpha, const scalar *a, const int *lda, const int *stride_a,                 \
        const scalar *b, const int *ldb, const int *stride_b, const scalar *beta, scalar *c,       \
        const int *ldc, const int *stride_c, const int *count);                                    \
    void l##gemm_batch_strided_(                                                                   \
        const char *ta, const char *tb, const int *m, const int *n, const int *k,                  \
        const scalar *alpha, const scalar *a, const int *lda, const int *stride_a,                 \
        const scalar *b, const int *ldb, const int *stride_b, const scalar *beta, scalar *c,       \
        const int *ldc, const int *stride_c, const int *count) {                                   \
        l##batch(CblasColMajor, transpose_of(*ta), transpose_of(*tb), *m, *n, *k, *alpha, a, *lda, \
                 *stride_a, b, *ldb, *stride_b, *beta, c, *ldc, *stride_c, *count);                \
    }                                                                                              \
    EXPORT void cblas_##l##gemm_batch(                                                             \
        CBLAS_ORDER layout, const CBLAS_TRANSPOSE *ta, const CBLAS_TRANSPOSE *tb, const int *m,    \
        const int *n, const int *k, const scalar *alpha, const scalar **a, const int *lda,         \
        const scalar **b, const int *ldb, const scalar *beta, scalar **c, const int *ldc,          \
        int count, const int *sizes);                                                              \
    void cblas_##l##gemm_batch(                                                                    \
        CBLAS_ORDER layout, const CBLAS_TRANSPOSE *ta, const CBLAS_TRANSPOSE *tb, const int *m,    \
        const int *n, const int *k, const scalar *alpha, const scalar **a, const int *lda,         \
        const scalar **b, const int *ldb, const scalar *beta, scalar **c, const int *ldc,          \
        int count, const int *sizes) {                                                             \
        int p = 0;                                                                                 \
        for (int g = 0; g < count; g++)                                                            \
            for (int z = 0; z < sizes[g]; z++, p++)                                                \
                cblas_##l##gemm(layout, ta[g], tb[g], m[g], n[g], k[g], alpha[g], a[p], lda[g],    \
                                b[p], ldb[g], beta[g], c[p], ldc[g]);                              \
        fprintf(stderr, "batched: " #l "gemm_batch of %d groups\n", count);                        \
    }                                                                                              \
    EXPORT void l##gemm_batch_(                                                                    \
        const char *ta, const char *tb, const int *m, const int *n, const int *k,                  \
        const scalar *alpha, const scalar **a, const int *lda, const scalar **b, const int *ldb,   \
        const scalar *beta, scalar **c, const int *ldc, const int *count, const int *sizes);       \
    void l##gemm_batch_(const char *ta, const char *tb, const int *m, const int *n, const int *k,  \
                        const scalar *alpha, const scalar **a, const int *lda, const scalar **b,   \
                        const int *ldb, const scalar *beta, scalar **c, const int *ldc,            \
                        const int *count, const int *sizes) {                                      \
        CBLAS_TRANSPOSE ta_of[16], tb_of[16];                                                      \
        for (int g = 0; g < *count && g < 16; g++) {                                               \
            ta_of[g] = transpose_of(ta[g]);                                                        \
            tb_of[g] = transpose_of(tb[g]);                                                        \
        }                                                                                          \
        cblas_##l##gemm_batch(CblasColMajor, ta_of, tb_of, m, n, k, alpha, a, lda, b, ldb, beta,   \
                              c, ldc, *count, sizes);                                              \
    }
BATCHES(s, float)
BATCHES(d, double)
/* NOLINTEND(bugprone-macro-parentheses) */
