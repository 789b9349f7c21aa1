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

/* Reads "md", "json" and, if allowed, "csv". Returns false with a sentence for anything else. */
bool format_parse(enum format *format, const char *text, bool csv, char *why, size_t room);

/* `command` is what messages begin with. */

/* If `path` is not NULL, opens a file for writing that children do not inherit; else leaves *file
 * alone. On failure prints a message to stderr and returns false. */
bool output_open(FILE **file, const char *path, const char *command);

/* Flushes *file, which may be NULL, closes it unless it is stdout or stderr, and sets it to NULL.
 * If something could not be written, prints a message to stderr and returns false. */
bool output_close(FILE **file, const char *path, const char *command);

/* Opens the output, runs `report` on it and closes it. Returns report's exit code, or EXIT_USAGE
 * with a message on stderr if the output cannot be written. */
int output_write(const struct output *output, const char *command,
                 int (*report)(FILE *out, void *user), void *user);

#endif
