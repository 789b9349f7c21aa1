/* SPDX-License-Identifier: Apache-2.0
 * What the program says to its user and to the shell: messages, progress, files, exit codes. */
#ifndef BENCH_CONSOLE_H
#define BENCH_CONSOLE_H

#include <stdbool.h>
#include <stdio.h>

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NO_DEVICE = 77 };

/* "clgemm-bench: ..." on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line that overwrites itself, where somebody watches. `text` NULL ends it. */
void progress(size_t done, size_t total, const char *text, const char *more);

/* Opens a file to write where `path` is not NULL, else leaves *file; complains and returns false
 * where that fails. */
bool output_open(FILE **file, const char *path);

/* Flushes, closes unless it is stdout, and sets *file to NULL. Complains and returns false where
 * something could not be written. */
bool output_close(FILE **file, const char *path);

#endif
