/* SPDX-License-Identifier: Apache-2.0
 * Threads as the system sees them. */
#ifndef CLG_TEST_THREADS_H
#define CLG_TEST_THREADS_H

/* How many threads of this process have that name, NULL: any; -1 where the system does not tell. If
 * `lowest` is not NULL it becomes the lowest number of these, 0 without any. */
int clg_test_threads(const char *name, int *lowest);

#endif
