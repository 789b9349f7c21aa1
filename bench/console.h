/* SPDX-License-Identifier: Apache-2.0
 * What the program prints for its user and the shell: messages, progress, exit codes. */
#ifndef BENCH_CONSOLE_H
#define BENCH_CONSOLE_H

#include <stdbool.h>
#include <stdio.h>

#include "src/common/exit.h"

/* Prints "clgemm-bench: ..." to stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether a signal has ended the measurement early (src/common/worker.h); says so. */
bool interrupted(void);

/* Prints one line that overwrites itself, if stderr is a terminal. A NULL `text` ends it. */
void progress(size_t done, size_t total, const char *text, const char *more);

#endif
