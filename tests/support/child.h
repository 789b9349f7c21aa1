/* SPDX-License-Identifier: Apache-2.0
 * Running a part of a test in a fresh process, because it depends on the environment, or on the
 * first call of a process, or may end the process. */
#ifndef CLG_TEST_CHILD_H
#define CLG_TEST_CHILD_H

#include <stdbool.h>
#include <stddef.h>

/* A user without rights, and their group. */
enum { CLG_TEST_NOBODY = 65534 };

/* Makes root that user, permanently. Other users are subject to modes and limits already. False if
 * it is not permitted. */
bool clg_test_become_nobody(void);

/* Runs this program again with the one argument `role` and returns its exit status, or -1 if a
 * signal ended it (SIGALRM after two minutes). Each of `environment` (NULL-terminated; may be NULL)
 * is "NAME=VALUE", or "NAME" to unset it. The output of both streams is stored in `output`, cut to
 * `size`; NULL: it is not redirected. */
int clg_test_run_self(const char *role, const char *const *environment, char *output, size_t size);

/* Ends such a process immediately. At a normal exit the runtime's threads and a leak checker that
 * stops them can interfere, which has been seen to fail. */
_Noreturn void clg_test_end_child(int code);

/* Skips, under AddressSanitizer, a test that forks while another thread works: GCC 12's has no fork
 * handlers. If another thread was in its allocator at the fork, the child hangs at its first
 * allocation. The C library's own allocator can be used after fork(). */
void clg_test_forks_beside_threads(void);

/* Waits for a forked child: its exit status, or -1 if a signal ended it. */
int clg_test_wait_for(int pid);

#endif
