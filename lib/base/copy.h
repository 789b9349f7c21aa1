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

/* The same into memory that a bus reads soon, while so many threads copy. Many are limited by
 * memory, so they write through the caches, from which the bus then reads. Few would wait there for
 * the destination, so they write past the caches. */
void clg_copy_columns_for_bus(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t bytes, size_t columns, int threads);

/* ---- Pages of memory that is about to be written for the first time ---- */

/* Asks the system for huge pages for memory that will soon be written in full, if most of it has
 * not been touched yet. Each first write to a page of 4 KiB costs a page fault, and a huge page
 * needs only one. Only huge pages wholly inside are requested, so no additional memory is used.
 *
 * It is a hint (madvise(), MADV_HUGEPAGE) that stays with the mapping. It changes no contents, and
 * has no effect if huge pages are turned off. Keeps errno. Ignores memory of less than
 * CLG_PAGES_LEAST bytes. */
void clg_pages_prepare(void *memory, size_t bytes);

enum { CLG_PAGES_LEAST = 8 << 20 };

#endif
