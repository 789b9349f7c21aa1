/* SPDX-License-Identifier: Apache-2.0
 * Pages as the system sees them. */
#define _GNU_SOURCE
#include "support/pages.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "support/check.h"

enum { HUGE = 2 << 20 };

void *clg_test_pages_map(size_t bytes) {
    char *memory =
        mmap(NULL, bytes + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    const size_t before = (size_t)(-(uintptr_t)memory % HUGE);
    if (before)
        munmap(memory, before);
    if (before < HUGE)
        munmap(memory + before + bytes, HUGE - before);
    return memory + before;
}

bool clg_test_pages_huge(const void *at) {
    char line[1024];
    bool here = false, huge = false;
    FILE *file = fopen("/proc/self/smaps", "re");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        unsigned long begin, end;
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            here = (uintptr_t)at >= begin && (uintptr_t)at < end;
        else if (here && strncmp(line, "VmFlags:", 8) == 0)
            huge = strstr(line, " hg") != NULL;
    }
    fclose(file);
    return huge;
}

bool clg_test_pages_supported(void) {
    void *memory = mmap(NULL, HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool supported = memory != MAP_FAILED && madvise(memory, HUGE, MADV_HUGEPAGE) == 0 &&
                           clg_test_pages_huge(memory);
    munmap(memory, HUGE);
    return supported;
}
