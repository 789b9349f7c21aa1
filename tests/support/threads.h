/* SPDX-License-Identifier: Apache-2.0
 * Threads as the system sees them. */
#ifndef CLG_TEST_THREADS_H
#define CLG_TEST_THREADS_H

/* The number of threads of this process with that name (NULL: any); -1 if the system does not say.
 * If `lowest` is not NULL it becomes the lowest of their numbers, 0 without any. */
int clg_test_threads(const char *name, int *lowest);

#endif
