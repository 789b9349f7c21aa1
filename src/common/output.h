/* SPDX-License-Identifier: Apache-2.0
 * Where a report goes, and in which format: the options -o and --out. */
#ifndef CLGEMM_COMMON_OUTPUT_H
#define CLGEMM_COMMON_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum format { FORMAT_MD, FORMAT_CSV, FORMAT_JSON };

struct output {
    const char *path; /* NULL: standard output */
    enum format format;
};

/* Reads "md", "json" and, where there is one, "csv"; false with a sentence for anything else. */
bool format_parse(enum format *format, const char *text, bool csv, char *why, size_t room);

/* In each, `command` is what messages begin with. */

/* Opens a file to write, which children do not inherit, where `path` is not NULL, else leaves
 * *file; false, having said so on stderr, where that fails. */
bool output_open(FILE **file, const char *path, const char *command);

/* Flushes, closes unless it is stdout or stderr, and sets *file, which may be NULL, to NULL. False,
 * having said so on stderr, where something could not be written. */
bool output_close(FILE **file, const char *path, const char *command);

/* Opens the output, runs `report` on it and closes it. Returns report's exit code, or EXIT_USAGE,
 * having said so on stderr, where the output cannot be written. */
int output_write(const struct output *output, const char *command,
                 int (*report)(FILE *out, void *user), void *user);

#endif
