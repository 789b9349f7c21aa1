/* SPDX-License-Identifier: Apache-2.0
 * A few threads that work beside a call and sleep until the next one. They start when they are
 * first wanted; one that cannot start is missing, no failure. */
#ifndef CLG_BASE_WORKERS_H
#define CLG_BASE_WORKERS_H

struct clg_workers;

enum { CLG_WORKERS_MOST = 15 };

/* NULL where memory is short. */
struct clg_workers *clg_workers_new(void);

/* Ends the threads and waits for that; none may be at work. NULL is fine. */
void clg_workers_free(struct clg_workers *workers);

/* Runs work(user, 0) in this thread and, beside it, work(user, 1) and so on in at most `helpers`
 * others, none where they all work for another call; returns when all have returned. `work` must be
 * content with any of them not coming. `workers` may be NULL. */
void clg_workers_run(struct clg_workers *workers, int helpers, void (*work)(void *user, int who),
                     void *user);

#endif
