/* SPDX-License-Identifier: Apache-2.0
 * Signals that a write raises. */
#define _POSIX_C_SOURCE 200809L /* sigtimedwait */
#include "base/write_signals.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

void clg_write_signals_hold(struct clg_write_signals *held) {
    static const int raised[] = {SIGPIPE, SIGXFSZ};
    sigset_t pending, all;
    sigemptyset(&held->ours);
    sigemptyset(&all);
    sigemptyset(&pending);
    sigpending(&pending);
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++) {
        sigaddset(&all, raised[i]);
        if (sigismember(&pending, raised[i]) != 1)
            sigaddset(&held->ours, raised[i]);
    }
    pthread_sigmask(SIG_BLOCK, &all, &held->mask);
}

void clg_write_signals_release(const struct clg_write_signals *held) {
    static const struct timespec at_once = {0, 0};
    while (sigtimedwait(&held->ours, NULL, &at_once) > 0 || errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
}
