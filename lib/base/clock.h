/* SPDX-License-Identifier: Apache-2.0
 * The monotonic clock of the library and its programs, and naps. */
#ifndef CLG_BASE_CLOCK_H
#define CLG_BASE_CLOCK_H

#include <stdint.h>

/* The time in nanoseconds, or in seconds, on a clock that never goes back. */
int64_t clg_clock_ns(void);
double clg_clock_seconds(void);

/* Sleeps so long, less than a second, or until a signal arrives. */
void clg_nap(int64_t ns);

#endif
