/* SPDX-License-Identifier: Apache-2.0
 * The verbose log: CLGEMM_VERBOSE=0..3 to stderr or CLGEMM_LOGFILE. The only place that prints. */
#ifndef CLG_BASE_LOG_H
#define CLG_BASE_LOG_H

#include <stdbool.h>

enum { CLG_LOG_CALLS = 1, CLG_LOG_PLANS = 2, CLG_LOG_PROBES = 3 };

/* Whether lines of this level are wanted; cheap, to guard the work of composing one. */
bool clg_log_on(int level);

/* Writes one line, "clgemm: " before and a newline after it, whole even when threads compete. */
void clg_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
