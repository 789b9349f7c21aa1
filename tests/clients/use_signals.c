/* SPDX-License-Identifier: Apache-2.0
 * A program with its own signal handlers. They are the same after the first product as before, and
 * results are right although a thousand signals a second arrive during products. */
#define _POSIX_C_SOURCE 200809L
#include <cblas.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "judge.h"

enum { M = 131, N = 127, K = 119, ROUNDS = 40 };

static volatile sig_atomic_t caught;

static void count(int signal) {
    (void)signal;
    caught++;
}

static int changed(const struct sigaction *before) {
    int wrong = 0;
    for (int signal = 1; signal < 32; signal++) {
        struct sigaction now;
        if (sigaction(signal, NULL, &now))
            continue;
        /* The C library adds its own flag when a default is set; it does not count. */
        if (now.sa_handler != before[signal].sa_handler ||
            (now.sa_handler == count && now.sa_flags != before[signal].sa_flags)) {
            printf("the handler of signal %d has changed\n", signal);
            wrong++;
        }
    }
    return wrong;
}

static int multiply(float *a, float *b, float *c, int round) {
    fill(a, (long)M * K, (unsigned)round);
    memset(c, 0xff, sizeof *c * M * N); /* NaN */
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, N, K, 1, a, K, b, N, 0, c, N);
    return judge("product", M, N, K, (struct view){a, K, 1, sizeof *a},
                 (struct view){b, N, 1, sizeof *b}, (struct view){c, N, 1, sizeof *c});
}

int main(void) {
    static float a[M * K], b[K * N], c[M * N];
    struct sigaction handler = {.sa_handler = count}, before[32]; /* no SA_RESTART */
    const int handled[] = {SIGINT, SIGTERM, SIGUSR1, SIGSEGV, SIGFPE, SIGCHLD, SIGALRM};
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
        sigaction(handled[i], &handler, NULL);
    memset(before, 0, sizeof before);
    for (int signal = 1; signal < 32; signal++)
        sigaction(signal, NULL, &before[signal]);

    fill(b, (long)K * N, 99);
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    int wrong = multiply(a, b, c, 0); /* opens the device and builds the program */
    for (int round = 1; round < ROUNDS; round++)
        wrong += multiply(a, b, c, round);
    setitimer(ITIMER_REAL, &never, NULL);
    wrong += changed(before);
    raise(SIGINT);
    printf("%d signals caught\n", (int)caught);
    return wrong != 0 || caught < 2;
}
