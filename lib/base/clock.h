/* SPDX-License-Identifier: Apache-2.0
 * The one clock of the library and its programs. */
#ifndef CLG_BASE_CLOCK_H
#define CLG_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds, and the same in seconds, of a clock that only moves forward. */
int64_t clg_clock_ns(void);
double clg_clock_seconds(void);

#endif
