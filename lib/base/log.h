/* SPDX-License-Identifier: Apache-2.0
 * The verbose log: CLGEMM_VERBOSE=0..3 to stderr or CLGEMM_LOGFILE. The only place that prints.
 *
 * The environment is read once. The file is opened for each line: a program that closes all
 * descriptors, as daemons do, would get a kept one again as a file of its own. Lines go to stderr
 * where the file cannot be opened. Logging never ends the program, fails a call or waits for a
 * file: a line that cannot be written, to a closed pipe, past a size limit or to a full FIFO, is
 * lost, and of signals and errno the program sees nothing; nor is it a cancellation point. */
#ifndef CLG_BASE_LOG_H
#define CLG_BASE_LOG_H

#include <stdbool.h>

/* CLG_LOG_ALWAYS is for what must not pass unseen, whatever CLGEMM_VERBOSE says. */
enum { CLG_LOG_ALWAYS = 0, CLG_LOG_CALLS = 1, CLG_LOG_PLANS = 2, CLG_LOG_PROBES = 3 };

/* Whether lines of this level are wanted; cheap, to guard the work of composing one. */
bool clg_log_on(int level);

/* Writes one line, "clgemm: " before and a newline after it, whole even when threads compete. */
void clg_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
