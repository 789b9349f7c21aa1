/* SPDX-License-Identifier: Apache-2.0
 * What reports of the `clgemm` tool write: Markdown, and files into folders. */
#ifndef CLGEMM_OUTPUT_H
#define CLGEMM_OUTPUT_H

#include <stdint.h>

#include "src/common/output.h"

/* Makes a folder unless it is there; false, having said so on stderr, where it cannot be made. */
bool output_make_folder(const char *command, const char *path);

/* A table's cell: a '|' or a line's end would break it. */
void md_cell(FILE *out, const char *text);

/* "1.5 MiB" */
void md_bytes(FILE *out, uint64_t bytes);

#endif
