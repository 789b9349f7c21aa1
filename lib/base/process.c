/* SPDX-License-Identifier: Apache-2.0
 * Detects child processes made by fork(). */
#define _GNU_SOURCE /* madvise */
#include "base/process.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

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

clgemm_status clg_process_check_fork(void) {
    if (clg_process_is_child())
        return clg_fail(CLGEMM_STATUS_FORKED, "process %ld used OpenCL before it forked this one",
                        clg_process_noted());
    return CLGEMM_SUCCESS;
}
