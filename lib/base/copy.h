/* SPDX-License-Identifier: Apache-2.0
 * Copies of columns that the CPU does not read again soon. */
#ifndef CLG_BASE_COPY_H
#define CLG_BASE_COPY_H

#include <stddef.h>

/* Copies `columns` columns of `bytes` each, but not the memory between them. On either side they
 * begin `pitch` bytes apart. On x86-64, columns that are long enough are written past the caches
 * (non-temporal stores), which saves reading the destination first. Ordinary acquire and release
 * ordering covers these stores. */
void clg_copy_columns(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes,
                      size_t columns);

#endif
