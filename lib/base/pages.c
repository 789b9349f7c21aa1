/* SPDX-License-Identifier: Apache-2.0
 * Pages of memory. */
#define _GNU_SOURCE /* mincore, MADV_HUGEPAGE */
#include "base/pages.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef MADV_HUGEPAGE

/* The size on x86-64, and on ARM with 4 KiB pages. With larger huge pages, the system uses those
 * that fit. */
enum { HUGE = 2 << 20, SAMPLES = 16 };

/* Whether most of a few sample pages are not resident. */
static bool is_fresh(uintptr_t begin, uintptr_t end) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    int absent = 0;
    for (uintptr_t i = 0; i < SAMPLES; i++) {
        const uintptr_t at = (begin + (end - begin) / SAMPLES * i) / page * page;
        unsigned char there = 1;
        absent += mincore((void *)at, page, &there) == 0 && !(there & 1);
    }
    return absent > SAMPLES / 2;
}

void clg_pages_prepare(void *memory, size_t bytes) {
    const uintptr_t begin = ((uintptr_t)memory + HUGE - 1) / HUGE * HUGE;
    const uintptr_t end = ((uintptr_t)memory + bytes) / HUGE * HUGE;
    const int error = errno;
    if (bytes >= CLG_PAGES_LEAST && is_fresh(begin, end))
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    errno = error;
}

#else

void clg_pages_prepare(void *memory, size_t bytes) {
    (void)memory;
    (void)bytes;
}

#endif
