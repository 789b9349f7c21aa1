/* SPDX-License-Identifier: Apache-2.0
 * lapack ROUTINE N REPEATS: times one of LAPACK's routines on an N x N matrix of doubles.
 *
 * Prints a line `ms` for each repetition, then `residual`: with the factors of the last one
 * multiplied by a vector x again, the largest error of A x in units of N u max|A x|. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Fortran: every argument is an address, and the lengths of letters follow. */
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivots, int *info);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);
void dsyevd_(const char *job, const char *uplo, const int *n, double *a, const int *lda,
             double *values, double *work, const int *lwork, int *iwork, const int *liwork,
             int *info, size_t, size_t);
void dgesdd_(const char *job, const int *m, const int *n, double *a, const int *lda, double *values,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,
             int *iwork, int *info, size_t);
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k,
             const double *a, const int *lda, const double *tau, double *c, const int *ldc,
             double *work, const int *lwork, int *info, size_t, size_t);
void dlaswp_(const int *n, double *a, const int *lda, const int *first, const int *last,
             const int *pivots, const int *step);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *step_x, const double *beta, double *y,
            const int *step_y, size_t);
void dtrmv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
            const int *lda, double *x, const int *step, size_t, size_t, size_t);

static int n, lwork = -1, liwork = -1, info;
static double *a, *given, *values, *u, *vt, *work;
static int *iwork;

/* ---- The routines: each with an argument lwork of -1 asks for its workspace ---- */

static void potrf(void) {
    if (lwork > 0)
        dpotrf_("L", &n, a, &n, &info, 1);
}

static void getrf(void) {
    if (lwork > 0)
        dgetrf_(&n, &n, a, &n, iwork, &info);
}

static void geqrf(void) {
    dgeqrf_(&n, &n, a, &n, values, work, &lwork, &info);
}

static void syevd(void) {
    dsyevd_("V", "L", &n, a, &n, values, work, &lwork, iwork, &liwork, &info, 1, 1);
}

static void gesdd(void) {
    dgesdd_("S", &n, &n, a, &n, values, u, &n, vt, &n, work, &lwork, iwork, &info, 1);
}

/* ---- Their results by a vector: x becomes A x ---- */

static void multiply(const double *matrix, const char *trans, double *x) {
    static const double zero = 0, unit = 1;
    static const int step = 1;
    memcpy(work, x, (size_t)n * sizeof *x);
    dgemv_(trans, &n, &n, &unit, matrix, &n, work, &step, &zero, x, &step, 1);
}

static void by_triangle(const char *uplo, const char *trans, const char *diag, double *x) {
    static const int step = 1;
    dtrmv_(uplo, trans, diag, &n, a, &n, x, &step, 1, 1, 1);
}

static void by_values(double *x) {
    for (int i = 0; i < n; i++)
        x[i] *= values[i];
}

static void by_cholesky(double *x) {
    by_triangle("L", "T", "N", x);
    by_triangle("L", "N", "N", x);
}

static void by_lu(double *x) {
    static const int first = 1, back = -1, column = 1;
    by_triangle("U", "N", "N", x);
    by_triangle("L", "N", "U", x);
    dlaswp_(&column, x, &n, &first, &n, iwork, &back);
}

static void by_qr(double *x) {
    static const int column = 1;
    by_triangle("U", "N", "N", x);
    dormqr_("L", "N", &n, &column, &n, a, &n, values, x, &n, work, &lwork, &info, 1, 1);
}

static void by_eigenvectors(double *x) {
    multiply(a, "T", x);
    by_values(x);
    multiply(a, "N", x);
}

static void by_singular_vectors(double *x) {
    multiply(vt, "N", x);
    by_values(x);
    multiply(u, "N", x);
}

static const struct routine {
    const char *name;
    void (*run)(void), (*apply)(double *x);
    double diagonal; /* what is added to A's diagonal, times n */
} routines[] = {{"potrf", potrf, by_cholesky, 1},
                {"getrf", getrf, by_lu, 0},
                {"geqrf", geqrf, by_qr, 0},
                {"syevd", syevd, by_eigenvectors, 0},
                {"gesdd", gesdd, by_singular_vectors, 0}};

/* ---- One process ---- */

static void *make(size_t count, size_t size) {
    void *made = calloc(count, size);
    if (!made)
        exit(2);
    return made;
}

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* A symmetric A is right for all routines. */
static void fill(double diagonal) {
    uint64_t random = 1;
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            given[(size_t)i + (size_t)j * (size_t)n] = given[(size_t)j + (size_t)i * (size_t)n] =
                (double)(random >> 11) * 0x1p-53 - 0.5 + (i == j ? diagonal * n : 0);
        }
}

static double residual(const struct routine *routine) {
    double *x = make((size_t)n, sizeof *x), *y = make((size_t)n, sizeof *y), most = 0, error = 0;
    for (int i = 0; i < n; i++)
        x[i] = y[i] = (i * 37 % 101) / 101.0;
    multiply(given, "N", y);
    routine->apply(x);
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(y[i]));
        error = isfinite(x[i]) ? fmax(error, fabs(x[i] - y[i])) : INFINITY;
    }
    free(x);
    free(y);
    return error / most / (n * DBL_EPSILON / 2);
}

int main(int argc, char **argv) {
    const struct routine *routine = NULL;
    for (size_t i = 0; i < sizeof routines / sizeof routines[0] && argc == 4; i++)
        if (strcmp(argv[1], routines[i].name) == 0)
            routine = &routines[i];
    if (!routine || (n = atoi(argv[2])) < 1 || n > 20000)
        return 2;
    const size_t all = (size_t)n * (size_t)n;
    a = make(all, sizeof *a);
    given = make(all, sizeof *given);
    u = make(all, sizeof *u);
    vt = make(all, sizeof *vt);
    values = make((size_t)n, sizeof *values);
    work = make((size_t)n, sizeof *work);
    iwork = make(8 * (size_t)n + 8, sizeof *iwork);
    fill(routine->diagonal);
    routine->run();
    lwork = work[0] > n ? (int)work[0] : n;
    liwork = 8 * n + 8;
    free(work);
    work = make((size_t)lwork, sizeof *work);
    for (int repeat = 0; repeat < atoi(argv[3]); repeat++) {
        memcpy(a, given, all * sizeof *a);
        const double start = milliseconds();
        routine->run();
        printf("ms %.3f\n", milliseconds() - start);
    }
    printf("residual %.3f\n", info ? INFINITY : residual(routine));
    return 0;
}
