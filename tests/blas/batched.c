/* SPDX-License-Identifier: Apache-2.0
 * A BLAS with batches, as OpenBLAS has from 0.3.30 on. It computes them product by product and says
 * which routine was called. */
#include <cblas.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))

static CBLAS_TRANSPOSE transpose_of(char letter) {
    return letter == 'N' ? CblasNoTrans : letter == 'C' ? CblasConjTrans : CblasTrans;
}

/* The CBLAS takes real alpha and beta by value and complex ones by address, and declares complex
 * arrays as void. Entry i of an array as it takes it: */
#define BY_ADDRESS(scalar, array, i) ((const scalar *)(array) + (i))
#define BY_VALUE(scalar, array, i) (*BY_ADDRESS(scalar, array, i))

/* NOLINTBEGIN(bugprone-macro-parentheses): types */
#define BATCHES(l, scalar, any, passed, PASS)                                                      \
    static void l##batch(CBLAS_ORDER layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, \
                         int k, passed alpha, const any *a, int lda, int stride_a, const any *b,   \
                         int ldb, int stride_b, passed beta, any *c, int ldc, int stride_c,        \
                         int count) {                                                              \
        for (int z = 0; z < count; z++)                                                            \
            cblas_##l##gemm(layout, ta, tb, m, n, k, alpha,                                        \
                            (const scalar *)a + (long)z * stride_a, lda,                           \
                            (const scalar *)b + (long)z * stride_b, ldb, beta,                     \
                            (scalar *)c + (long)z * stride_c, ldc);                                \
        fprintf(stderr, "batched: " #l "gemm_batch_strided of %d\n", count);                       \
    }                                                                                              \
    EXPORT void cblas_##l##gemm_batch_strided(                                                     \
        CBLAS_ORDER layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k,           \
        passed alpha, const any *a, int lda, int stride_a, const any *b, int ldb, int stride_b,    \
        passed beta, any *c, int ldc, int stride_c, int count);                                    \
    void cblas_##l##gemm_batch_strided(CBLAS_ORDER layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, \
                                       int m, int n, int k, passed alpha, const any *a, int lda,   \
                                       int stride_a, const any *b, int ldb, int stride_b,          \
                                       passed beta, any *c, int ldc, int stride_c, int count) {    \
        l##batch(layout, ta, tb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, \
                 stride_c, count);                                                                 \
    }                                                                                              \
    EXPORT void l##gemm_batch_strided_(                                                            \
        const char *ta, const char *tb, const int *m, const int *n, const int *k,                  \
        const any *alpha, const any *a, const int *lda, const int *stride_a, const any *b,         \
        const int *ldb, const int *stride_b, const any *beta, any *c, const int *ldc,              \
        const int *stride_c, const int *count);                                                    \
    void l##gemm_batch_strided_(const char *ta, const char *tb, const int *m, const int *n,        \
                                const int *k, const any *alpha, const any *a, const int *lda,      \
                                const int *stride_a, const any *b, const int *ldb,                 \
                                const int *stride_b, const any *beta, any *c, const int *ldc,      \
                                const int *stride_c, const int *count) {                           \
        l##batch(CblasColMajor, transpose_of(*ta), transpose_of(*tb), *m, *n, *k,                  \
                 PASS(scalar, alpha, 0), a, *lda, *stride_a, b, *ldb, *stride_b,                   \
                 PASS(scalar, beta, 0), c, *ldc, *stride_c, *count);                               \
    }                                                                                              \
    EXPORT void cblas_##l##gemm_batch(                                                             \
        CBLAS_ORDER layout, const CBLAS_TRANSPOSE *ta, const CBLAS_TRANSPOSE *tb, const int *m,    \
        const int *n, const int *k, const any *alpha, const any **a, const int *lda,               \
        const any **b, const int *ldb, const any *beta, any **c, const int *ldc, int count,        \
        const int *sizes);                                                                         \
    void cblas_##l##gemm_batch(CBLAS_ORDER layout, const CBLAS_TRANSPOSE *ta,                      \
                               const CBLAS_TRANSPOSE *tb, const int *m, const int *n,              \
                               const int *k, const any *alpha, const any **a, const int *lda,      \
                               const any **b, const int *ldb, const any *beta, any **c,            \
                               const int *ldc, int count, const int *sizes) {                      \
        int p = 0;                                                                                 \
        for (int g = 0; g < count; g++)                                                            \
            for (int z = 0; z < sizes[g]; z++, p++)                                                \
                cblas_##l##gemm(layout, ta[g], tb[g], m[g], n[g], k[g], PASS(scalar, alpha, g),    \
                                a[p], lda[g], b[p], ldb[g], PASS(scalar, beta, g), c[p], ldc[g]);  \
        fprintf(stderr, "batched: " #l "gemm_batch of %d groups\n", count);                        \
    }                                                                                              \
    EXPORT void l##gemm_batch_(const char *ta, const char *tb, const int *m, const int *n,         \
                               const int *k, const any *alpha, const any **a, const int *lda,      \
                               const any **b, const int *ldb, const any *beta, any **c,            \
                               const int *ldc, const int *count, const int *sizes);                \
    void l##gemm_batch_(const char *ta, const char *tb, const int *m, const int *n, const int *k,  \
                        const any *alpha, const any **a, const int *lda, const any **b,            \
                        const int *ldb, const any *beta, any **c, const int *ldc,                  \
                        const int *count, const int *sizes) {                                      \
        CBLAS_TRANSPOSE ta_of[16], tb_of[16];                                                      \
        for (int g = 0; g < *count && g < 16; g++) {                                               \
            ta_of[g] = transpose_of(ta[g]);                                                        \
            tb_of[g] = transpose_of(tb[g]);                                                        \
        }                                                                                          \
        cblas_##l##gemm_batch(CblasColMajor, ta_of, tb_of, m, n, k, alpha, a, lda, b, ldb, beta,   \
                              c, ldc, *count, sizes);                                              \
    }
BATCHES(s, float, float, float, BY_VALUE)
BATCHES(d, double, double, double, BY_VALUE)
BATCHES(c, float _Complex, void, const void *, BY_ADDRESS)
BATCHES(z, double _Complex, void, const void *, BY_ADDRESS)
/* NOLINTEND(bugprone-macro-parentheses) */
