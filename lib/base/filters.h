/* SPDX-License-Identifier: Apache-2.0
 * Filters of system calls (seccomp). Services and containers run under some all their life, so
 * that there are some says nothing. A program that sets one later has what it needs by then, and
 * the filter may kill it for a runtime's system calls. */
#ifndef CLG_BASE_FILTERS_H
#define CLG_BASE_FILTERS_H

#include <stdbool.h>

/* Whether this thread has more filters than the library found when it was loaded. Opens a file only
 * if there were some then. */
bool clg_filters_grew(void);

#endif
