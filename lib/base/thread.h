/* SPDX-License-Identifier: Apache-2.0
 * Threads of ours: how they are started, and how many the process may keep busy. */
#ifndef CLG_BASE_THREAD_H
#define CLG_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that takes no signals but those that a fault of its own raises. The name has at
 * most 15 letters. False where there can be no further thread. */
bool clg_thread_start(pthread_t *out, void *(*run)(void *user), void *user, const char *name);

bool clg_thread_is_main(void);

/* Has end(user) run as this thread ends: where it calls exit(), before all handlers. Those that a
 * runtime registers while it is loaded and first compiles, for its variables, come before any of
 * ours that were registered earlier, and threads of ours may still be in it. False where the C
 * library has no such way. */
bool clg_thread_at_end(void (*end)(void *user), void *user);

/* Processors that this process may use, at least 1: those it is bound to, and no more than its
 * control group gives it time of (cpu.max of cgroup v2, the quota of v1). Asked once. */
int clg_thread_processors(void);

#endif
