/* SPDX-License-Identifier: Apache-2.0
 * What the program says to its user and to the shell: messages, progress, exit codes. */
#ifndef BENCH_CONSOLE_H
#define BENCH_CONSOLE_H

#include <stdbool.h>
#include <stdio.h>

#include "src/common/exit.h"

/* "clgemm-bench: ..." on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line that overwrites itself, where somebody watches. `text` NULL ends it. */
void progress(size_t done, size_t total, const char *text, const char *more);

#endif
