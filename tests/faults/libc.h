/* SPDX-License-Identifier: Apache-2.0
 * The C library as the library sees it: its calls for memory and for what the system lends are
 * counted, and the n-th fails; what they yield is counted until it is given back.
 *
 * The linker leads the calls of all that is linked statically here, by --wrap (CMakeLists.txt):
 * the library's own, and the test's, which makes none while a fault is armed. Those of OpenCL's
 * runtimes are not seen. */
#ifndef CLG_TESTS_FAULTS_LIBC_H
#define CLG_TESTS_FAULTS_LIBC_H

#include <stdbool.h>

/* Which calls count, and may fail. */
enum libc_calls {
    LIBC_MEMORY, /* malloc and its like, with ENOMEM */
    LIBC_SYSTEM  /* files, threads, mappings and libraries */
};

/* What is held: a call that yields it adds, one that gives it back subtracts. */
enum libc_kind { LIBC_BLOCK, LIBC_FILE, LIBC_THREAD, LIBC_MAPPING, LIBC_LIBRARY, LIBC_KINDS };
extern const char *const libc_kind_name[LIBC_KINDS];

/* As the functions of layer.h. */
void libc_arm(enum libc_calls calls, long n, int sticky);
void libc_disarm(void);
long libc_injected(void);
const char *libc_where(void);

/* All counts as they are now. */
void libc_counts(long counts[LIBC_KINDS]);

/* As steer_settle(): waits for the counts, as threads of ours and callbacks may still give back.
 * Unless `exact`, fewer will do. */
int libc_settle(const long want[LIBC_KINDS], bool exact);

#endif
