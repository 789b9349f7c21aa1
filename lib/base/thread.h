/* SPDX-License-Identifier: Apache-2.0
 * Threads of the library, and how many the process may keep busy. */
#ifndef CLG_BASE_THREAD_H
#define CLG_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Starts a thread that receives no signals but those that its own faults raise. The name has at
 * most 15 characters. False if no thread can be started. */
bool clg_thread_start(pthread_t *out, void *(*run)(void *user), void *user, const char *name);

/* Whether so many more threads may be started. Where a limit of the user or of a control group is
 * near, starts them with small stacks, and ends them. */
bool clg_thread_may_start(int count);

bool clg_thread_is_main(void);

/* Whether so much of this thread's stack is left. False if the stack is not the thread's own, as in
 * a fibre. */
bool clg_thread_has_stack(size_t bytes);

/* Until the release, this thread is not cancelled. Returns what the release takes; pairs may nest.
 */
int clg_cancel_hold(void);
void clg_cancel_release(int state);

/* Runs end(user) when this thread ends; in a thread that calls exit(), before all exit handlers.
 * Handlers of an OpenCL runtime, registered while it is loaded and first compiles, can run before
 * earlier ones of the library and destroy variables that a thread of the library still uses. False
 * if the C library does not support this. */
bool clg_thread_at_end(void (*end)(void *user), void *user);

/* Processors that this process may use, at least 1: those in its affinity mask, limited by the CPU
 * time of its control group (cpu.max of cgroup v2, the quota of v1). Determined once. */
int clg_thread_processors(void);

/* ---- A few threads that help a call and sleep until the next one ---- */

/* They are started when first needed. One that cannot start is not an error. */
struct clg_workers;

enum { CLG_WORKERS_MOST = 15 };

/* NULL if memory is short. */
struct clg_workers *clg_workers_new(void);

/* Ends the threads and waits for that. None may be at work. NULL is fine. */
void clg_workers_free(struct clg_workers *workers);

/* Runs work(user, 0) in this thread, and work(user, 1) and so on in up to `helpers` others. Returns
 * when all have returned. There are no helpers if the pool serves another call, and any of them may
 * be missing, so work(user, 0) alone must be able to do everything. `workers` may be NULL. */
void clg_workers_run(struct clg_workers *workers, int helpers, void (*work)(void *user, int who),
                     void *user);

#endif
