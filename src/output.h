/* SPDX-License-Identifier: Apache-2.0
 * The options -o and --out, which every command that reports has, and what its Markdown is made
 * of. */
#ifndef CLGEMM_OUTPUT_H
#define CLGEMM_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct output {
    const char *path; /* NULL: standard output */
    bool json;        /* else Markdown */
};

/* Takes the word after -o; false, having said so on stderr, if it is no format. `command` is what
 * messages begin with. */
bool output_set_format(struct output *output, const char *command, const char *word);

/* Opens the output, runs `report` on it and closes it. Returns report's exit code, or TOOL_USAGE,
 * having said so on stderr, where the output cannot be written. */
int output_write(const struct output *output, const char *command,
                 int (*report)(FILE *out, void *user), void *user);

/* Makes a folder unless it is there; false, having said so on stderr, where it cannot be made. */
bool output_make_folder(const char *command, const char *path);

/* A table's cell: a '|' or a line's end would break it. */
void md_cell(FILE *out, const char *text);

/* "1.5 MiB" */
void md_bytes(FILE *out, uint64_t bytes);

#endif
