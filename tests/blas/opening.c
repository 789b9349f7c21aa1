/* SPDX-License-Identifier: Apache-2.0
 * What a program sees of the thread that opens the device. */
#define _GNU_SOURCE
#include "opening.h"

#include <cblas.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "drop_in.h"
#include "support/threads.h"

int opening_thread(void) {
    int opener;
    clg_test_threads("clgemm-open", &opener);
    return opener;
}

bool opening_is_alive(int thread) {
    return thread && syscall(SYS_tgkill, getpid(), thread, 0) == 0;
}

void opening_wait(void) {
    const struct timespec pause = {.tv_nsec = 2000000};
    for (const int thread = opening_thread(); opening_is_alive(thread);)
        nanosleep(&pause, NULL);
}

bool opening_started(void) {
    return drop_in_is_mapped("libclgemm.so");
}

enum { LONG_N = 500, LONG_K = 2000 };

void opening_multiply(int times) {
    static float a[LONG_N * LONG_K], c[LONG_N * LONG_N];
    for (int i = 0; i < times; i++)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, LONG_N, LONG_N, LONG_K, 1, a, LONG_K,
                    a, LONG_K, 0, c, LONG_N);
}
