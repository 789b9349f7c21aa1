/* SPDX-License-Identifier: Apache-2.0
 * A library that calls its BLAS, as Python's extensions do: opened for itself alone, and with a
 * BLAS that nobody else has. INTEGER, from the build, is what that BLAS takes. */
#define _GNU_SOURCE /* MAP_NORESERVE */
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#ifndef INTEGER
#define INTEGER int
#endif

extern void cblas_sgemm(int layout, int ta, int tb, INTEGER m, INTEGER n, INTEGER k, float alpha,
                        const float *a, INTEGER lda, const float *b, INTEGER ldb, float beta,
                        float *c, INTEGER ldc);
extern void sgemm_(const char *ta, const char *tb, const INTEGER *m, const INTEGER *n,
                   const INTEGER *k, const float *alpha, const float *a, const INTEGER *lda,
                   const float *b, const INTEGER *ldb, const float *beta, float *c,
                   const INTEGER *ldc);
extern void cblas_ssyrk(int layout, int uplo, int trans, INTEGER n, INTEGER k, float alpha,
                        const float *a, INTEGER lda, float beta, float *c, INTEGER ldc);

extern double cblas_ddot(INTEGER n, const double *x, INTEGER incx, const double *y, INTEGER incy);
extern double dasum_(const INTEGER *n, const double *x, const INTEGER *incx);

enum { N = 24 };

static float a[N * N], b[N * N], c[N * N];

static void fill(void) {
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 7) - 3;
        b[i] = (float)(i % 5) - 2;
        c[i] = (float)(i % 3);
    }
}

/* 2 op(A) op(B) + 3 C in whole numbers, so that the result is exact. By columns; `second` is B, or
 * A's transpose; only the upper triangle where `triangle`. */
static int is_wrong(const float *second, int transposed, int triangle) {
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            float sum = 3 * (float)((i + j * N) % 3);
            for (int p = 0; p < N; p++)
                sum += 2 * a[i + p * N] * (transposed ? second[j + p * N] : second[p + j * N]);
            if (triangle && i > j)
                sum = (float)((i + j * N) % 3);
            if (c[i + j * N] != sum)
                return 1;
        }
    return 0;
}

static int by_cblas(void) {
    fill();
    cblas_sgemm(102, 111, 111, N, N, N, 2, a, N, b, N, 3, c, N);
    return is_wrong(b, 0, 0);
}

static int by_fortran(void) {
    const INTEGER n = N;
    const float two = 2, three = 3;
    fill();
    sgemm_("N", "N", &n, &n, &n, &two, a, &n, b, &n, &three, c, &n);
    return is_wrong(b, 0, 0);
}

static int by_syrk(void) {
    fill();
    cblas_ssyrk(102, 121, 111, N, N, 2, a, N, 3, c, N);
    return is_wrong(a, 1, 1);
}

/* Columns of two elements, more than 2^31 elements apart. */
static int far_apart(void) {
    const int64_t lda = ((int64_t)1 << 31) + 8;
    const INTEGER two = 2, far = (INTEGER)lda;
    const size_t bytes = (size_t)(lda + 2) * sizeof(float);
    const float one = 1, zero = 0;
    float *x = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (x == MAP_FAILED)
        return 1;
    static const float y[4] = {1, 2, 3, 4},
                       product[4] = {1 * 1 + 2 * 7, 1 * 5 + 2 * 11, 3 * 1 + 4 * 7, 3 * 5 + 4 * 11};
    float z[4] = {NAN, NAN, NAN, NAN}, z_fortran[4] = {NAN, NAN, NAN, NAN};
    x[0] = 1;
    x[1] = 5;
    x[lda] = 7;
    x[lda + 1] = 11;
    cblas_sgemm(102, 111, 111, two, two, two, 1, x, far, y, two, 0, z, two);
    sgemm_("N", "N", &two, &two, &two, &one, x, &far, y, &two, &zero, z_fortran, &two);
    munmap(x, bytes);
    return memcmp(z, product, sizeof z) || memcmp(z_fortran, product, sizeof z);
}

/* What the drop-in has nothing to do with. */
static int others(void) {
    const double x[3] = {1, 2, 3}, y[3] = {4, 5, 6};
    const INTEGER three = 3, one = 1;
    return cblas_ddot(three, x, one, y, one) != 32 || dasum_(&three, y, &one) != 15;
}

static int refused(void) {
    fill();
    cblas_sgemm(102, 111, 111, -1, N, N, 2, a, N, b, N, 3, c, N);
    return 0;
}

static int killed(void) {
    return raise(SIGTERM);
}

__attribute__((visibility("default"))) int extension_run(const char *what);
int extension_run(const char *what) {
    return !strcmp(what, "cblas")     ? by_cblas()
           : !strcmp(what, "fortran") ? by_fortran()
           : !strcmp(what, "syrk")    ? by_syrk()
           : !strcmp(what, "far")     ? far_apart()
           : !strcmp(what, "others")  ? others()
           : !strcmp(what, "refused") ? refused()
           : !strcmp(what, "killed")  ? killed()
                                      : 2;
}
