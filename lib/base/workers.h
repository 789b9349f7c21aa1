/* SPDX-License-Identifier: Apache-2.0
 * A few threads that help a call and sleep until the next one. They are started when first needed.
 * One that cannot start is not an error. */
#ifndef CLG_BASE_WORKERS_H
#define CLG_BASE_WORKERS_H

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
