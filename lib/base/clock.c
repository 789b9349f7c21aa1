/* SPDX-License-Identifier: Apache-2.0
 * The monotonic clock, and naps. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, nanosleep */
#include "base/clock.h"

#include <time.h>

int64_t clg_clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double clg_clock_seconds(void) {
    return (double)clg_clock_ns() * 1e-9;
}

void clg_nap(int64_t ns) {
    const struct timespec nap = {.tv_nsec = (long)ns};
    nanosleep(&nap, NULL);
}
