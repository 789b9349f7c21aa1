/* SPDX-License-Identifier: Apache-2.0
 * Keeping the process's signal handlers its own. */
#define _GNU_SOURCE /* NSIG */
#include "device/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int depth;
static struct sigaction saved[NSIG];
static bool readable[NSIG];

/* The mask belongs to the thread, so each thread keeps its own. */
static _Thread_local sigset_t saved_mask;
static _Thread_local int thread_depth;

void clg_signals_save(void) {
    if (thread_depth++ == 0)
        pthread_sigmask(SIG_SETMASK, NULL, &saved_mask);
    pthread_mutex_lock(&lock);
    if (depth++ == 0)
        for (int s = 1; s < NSIG; s++)
            readable[s] = sigaction(s, NULL, &saved[s]) == 0;
    pthread_mutex_unlock(&lock);
}

void clg_signals_restore(void) {
    pthread_mutex_lock(&lock);
    if (--depth == 0)
        for (int s = 1; s < NSIG; s++)
            if (readable[s] && s != SIGKILL && s != SIGSTOP)
                sigaction(s, &saved[s], NULL);
    pthread_mutex_unlock(&lock);
    if (--thread_depth == 0)
        pthread_sigmask(SIG_SETMASK, &saved_mask, NULL);
}
