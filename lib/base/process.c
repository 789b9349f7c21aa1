/* SPDX-License-Identifier: Apache-2.0
 * fork(), exit(), and filters of system calls. */
#define _GNU_SOURCE /* madvise */
#include "base/process.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/file.h"

static long noted;                /* the process's id, or 0 */
static const unsigned char *mark; /* 1 in the noted process, 0 in children, or NULL */

/* A page that the kernel clears in child processes (Linux 4.14), or NULL. It is never unmapped. */
static unsigned char *make_mark(void) {
#ifdef MADV_WIPEONFORK
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *made =
        mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return NULL;
    if (madvise(made, page, MADV_WIPEONFORK) == 0) {
        *made = 1;
        return made;
    }
    munmap(made, page);
#endif
    return NULL;
}

void clg_process_note(void) {
    long none = 0;
    if (__atomic_compare_exchange_n(&noted, &none, (long)getpid(), false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        __atomic_store_n(&mark, make_mark(), __ATOMIC_RELEASE);
}

long clg_process_noted(void) {
    return __atomic_load_n(&noted, __ATOMIC_ACQUIRE);
}

bool clg_process_is_child(void) {
    const unsigned char *page = __atomic_load_n(&mark, __ATOMIC_ACQUIRE);
    if (page)
        return *page == 0;
    const long first = clg_process_noted();
    return first && first != (long)getpid();
}

uint64_t clg_process_address_space(void) {
    char line[64];
    clg_file_line("/proc/self/statm", line, sizeof line);
    return strtoull(line, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

clgemm_status clg_process_check_fork(void) {
    if (clg_process_is_child())
        return clg_fail(CLGEMM_STATUS_FORKED, "process %ld used OpenCL before it forked this one",
                        clg_process_noted());
    return CLGEMM_SUCCESS;
}

/* ---- exit() ---- */

static bool exiting; /* atomic */

static void note(void) {
    __atomic_store_n(&exiting, true, __ATOMIC_RELEASE);
}

/* Runtimes register handlers when they are loaded and when they first compile. */
void clg_exiting_watch(void) {
    enum { MOST = 64 };
    static int handlers; /* atomic */
    if (__atomic_fetch_add(&handlers, 1, __ATOMIC_RELAXED) < MOST)
        atexit(note);
    else
        __atomic_store_n(&handlers, MOST, __ATOMIC_RELAXED);
}

bool clg_is_exiting(void) {
    return __atomic_load_n(&exiting, __ATOMIC_ACQUIRE);
}

/* ---- Filters of system calls ---- */

static long filters_at_load;

static bool has_filters(void) {
    return prctl(PR_GET_SECCOMP) > 0;
}

/* 1 where Linux does not count them (before 5.9). */
static long count_filters(void) {
    static const char name[] = "Seccomp_filters:";
    char line[128];
    long filters = 1;
    FILE *file = has_filters() ? fopen("/proc/thread-self/status", "re") : NULL;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, sizeof name - 1) == 0)
            filters = strtol(line + sizeof name - 1, NULL, 10);
    if (file)
        fclose(file);
    return filters;
}

__attribute__((constructor)) static void note_filters(void) {
    filters_at_load = has_filters() ? count_filters() : 0;
}

bool clg_filters_grew(void) {
    return has_filters() && (filters_at_load == 0 || count_filters() > filters_at_load);
}
