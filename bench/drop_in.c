/* SPDX-License-Identifier: Apache-2.0
 * Measures what the drop-in costs a call that stays on the CPU, and a program that never
 * multiplies. Run it as `clgemm run -q clgemm-drop-in`. In this one process, calls through the
 * drop-in and calls straight into OpenBLAS take turns. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include <cblas.h>

enum { ROUNDS = 101, CALLS = 2000, LARGEST = 16 };

extern char **environ;

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[ROUNDS]) {
    qsort(values, ROUNDS, sizeof values[0], by_value);
    return values[ROUNDS / 2];
}

/* ---- A call --------------------------------------------------------------------------------- */

typedef __typeof__(cblas_sgemm) sgemm_function;
typedef void fortran_function(const char *ta, const char *tb, const int *m, const int *n,
                              const int *k, const float *alpha, const float *a, const int *lda,
                              const float *b, const int *ldb, const float *beta, float *c,
                              const int *ldc, size_t ta_length, size_t tb_length);

static float a[LARGEST * LARGEST], b[LARGEST * LARGEST], c[LARGEST * LARGEST];

/* Nanoseconds of a call. */
static double time_cblas(void *function, int n) {
    sgemm_function *sgemm = (sgemm_function *)function;
    const double start = now_ns();
    for (int i = 0; i < CALLS; i++)
        sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
    return (now_ns() - start) / CALLS;
}

static double time_fortran(void *function, int n) {
    fortran_function *sgemm = (fortran_function *)function;
    const float one = 1, zero = 0;
    const double start = now_ns();
    for (int i = 0; i < CALLS; i++)
        sgemm("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
    return (now_ns() - start) / CALLS;
}

static void compare(const char *name, double (*time_calls)(void *function, int n), void *through,
                    void *openblas) {
    void *straight = dlsym(openblas, name);
    for (int n = 1; n <= LARGEST; n *= 2) {
        double with[ROUNDS], without[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            without[i] = time_calls(straight, n);
            with[i] = time_calls(through, n);
        }
        const double x = median(with), y = median(without);
        printf("| %s, %d x %d x %d | %.1f | %.1f | %.1f |\n", name, n, n, n, y, x, x - y);
    }
}

/* ---- A program that does nothing ------------------------------------------------------------ */

static double time_program(char **environment) {
    char *arguments[] = {"/bin/true", NULL};
    pid_t child;
    int status;
    const double start = now_ns();
    if (posix_spawn(&child, arguments[0], NULL, NULL, arguments, environment) == 0)
        waitpid(child, &status, 0);
    return now_ns() - start;
}

static void compare_start(void) {
    char *nothing[] = {NULL};
    double with[ROUNDS], without[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        without[i] = time_program(nothing);
        with[i] = time_program(environ);
    }
    const double x = median(with), y = median(without);
    printf("| /bin/true | %.0f | %.0f | %.0f |\n", y, x, x - y);
}

int main(void) {
    void *openblas = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
    void *through_fortran = dlsym(RTLD_DEFAULT, "sgemm_");
    if (!openblas || through_fortran == dlsym(openblas, "sgemm_")) {
        fputs("clgemm-drop-in: run this as `clgemm run -q clgemm-drop-in`\n", stderr);
        return 2;
    }
    puts("| ns, medians | without | with | difference |\n|---|---:|---:|---:|");
    compare("cblas_sgemm", time_cblas, (void *)cblas_sgemm, openblas);
    compare("sgemm_", time_fortran, through_fortran, openblas);
    compare_start();
    return 0;
}
