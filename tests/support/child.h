/* SPDX-License-Identifier: Apache-2.0
 * Running a part of a test in a fresh process: for what depends on the environment, on the first
 * call of a process, or may end it. */
#ifndef CLG_TEST_CHILD_H
#define CLG_TEST_CHILD_H

#include <stdbool.h>
#include <stddef.h>

/* A user of no rights, and his group. */
enum { CLG_TEST_NOBODY = 65534 };

/* Makes root that user, for good; anyone else is stopped by modes and limits already. False where
 * it may not. */
bool clg_test_become_nobody(void);

/* Runs this program anew with the one argument `role` and returns its exit status, or -1 if a
 * signal ended it (SIGALRM after two minutes). Each of `environment` (NULL-terminated; may be NULL)
 * is "NAME=VALUE", or "NAME" to unset it. What it printed, on both streams, is left in `output`,
 * cut to `size`; NULL if it may print where this program does. */
int clg_test_run_self(const char *role, const char *const *environment, char *output, size_t size);

/* Ends such a process there and then. Neither the runtime's threads nor a leak checker that stops
 * them get in each other's way at the end of it, which has been seen to fail. */
_Noreturn void clg_test_end_child(int code);

/* Skips, under AddressSanitizer, a test that forks while another thread works: GCC 12's has no fork
 * handlers, so a child of a moment in which a thread was inside its allocator hangs at its own
 * first allocation. The C library's own allocator is fit for use after fork(). */
void clg_test_forks_beside_threads(void);

/* Waits for a forked child: its exit status, or -1 if a signal ended it. */
int clg_test_wait_for(int pid);

#endif
