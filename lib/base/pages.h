/* SPDX-License-Identifier: Apache-2.0
 * Pages of memory that is about to be written for the first time. */
#ifndef CLG_BASE_PAGES_H
#define CLG_BASE_PAGES_H

#include <stddef.h>

/* Asks the system for huge pages where all of that memory will be written soon, if most of it has
 * not been touched yet: each page of 4 KiB that a write meets first costs a fault, and a huge one
 * costs as many as one of these. Only pages that lie wholly inside are meant, so no memory is used
 * that the writes would not have used. It is a hint ("man madvise", MADV_HUGEPAGE), which no
 * contents depend on, and which a system or process that has turned huge pages off ignores; it
 * stays with the mapping. Keeps errno. Does nothing to memory of less than CLG_PAGES_LEAST bytes.
 */
void clg_pages_prepare(void *memory, size_t bytes);

enum { CLG_PAGES_LEAST = 8 << 20 };

#endif
