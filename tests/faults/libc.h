/* SPDX-License-Identifier: Apache-2.0
 * The C library as the library under test sees it: calls that allocate memory or system resources
 * are counted, and the n-th fails. What they return is counted until it is released.
 *
 * The linker redirects the calls of everything that is linked statically, by --wrap
 * (CMakeLists.txt): the library's, and the test's, which makes none while a fault is armed. Those
 * of OpenCL runtimes are not seen. */
#ifndef CLG_TESTS_FAULTS_LIBC_H
#define CLG_TESTS_FAULTS_LIBC_H

#include <stdbool.h>

/* Which calls are counted and may fail. */
enum libc_calls {
    LIBC_MEMORY, /* malloc and similar functions, with ENOMEM */
    LIBC_SYSTEM  /* files, threads, mappings and libraries */
};

/* What is held: a call that allocates adds, one that releases subtracts. */
enum libc_kind { LIBC_BLOCK, LIBC_FILE, LIBC_THREAD, LIBC_MAPPING, LIBC_LIBRARY, LIBC_KINDS };
extern const char *const libc_kind_name[LIBC_KINDS];

/* Like the functions of layer.h. */
void libc_arm(enum libc_calls calls, long n, int sticky);
void libc_disarm(void);
long libc_injected(void);
const char *libc_where(void);

/* All current counts. */
void libc_counts(long counts[LIBC_KINDS]);

/* Like steer_settle(): waits until the counts are right, because threads and callbacks may still
 * release something. Unless `exact`, lower counts are accepted. */
int libc_settle(const long want[LIBC_KINDS], bool exact);

#endif
