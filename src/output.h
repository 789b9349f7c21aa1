/* SPDX-License-Identifier: Apache-2.0
 * Output helpers for the reports of the `clgemm` tool: Markdown, and folders for files. */
#ifndef CLGEMM_OUTPUT_H
#define CLGEMM_OUTPUT_H

#include <stdint.h>

#include "src/common/output.h"

/* Makes a folder unless it exists. On failure prints a message to stderr and returns false. */
bool output_make_folder(const char *command, const char *path);

/* Writes text as a table cell: escapes '|' and replaces control characters, which would break
 * it. */
void md_cell(FILE *out, const char *text);

/* "1.5 MiB" */
void md_bytes(FILE *out, uint64_t bytes);

#endif
