/* SPDX-License-Identifier: Apache-2.0
 * Remembers plans of pipelines, because programs tend to repeat their products, and making a plan
 * takes microseconds to tens of microseconds. */
#ifndef CLG_RUN_PIPE_KNOWN_H
#define CLG_RUN_PIPE_KNOWN_H

#include <pthread.h>

#include "run/pipe_steps.h"

/* The problem, and what else its plan was made from. */
struct clg_pipe_key {
    struct clg_problem problem;
    bool has_beta;
    unsigned direct; /* see struct clg_pipe_plan */
    uint64_t room;   /* facts->workspace_max, which tests change */
};

/* Does not change once it is remembered. `users` is guarded by the memory's lock. */
struct clg_pipe_known {
    int users;
    struct clg_pipe_key key;
    int64_t products; /* computed at a time; 0: the problem cannot use a pipeline */
    struct clg_pipe_plan plan;
    struct clg_pipe_joint *joint; /* if not NULL, used instead of `plan`; from malloc() */
};

/* Releases what it holds, but not itself. */
void clg_pipe_known_clear(struct clg_pipe_known *known);

enum { CLG_PIPES_KNOWN = 16 };

struct clg_pipe_memory {
    pthread_mutex_t lock;
    struct clg_pipe_known *known[CLG_PIPES_KNOWN];
    int oldest;
    uint64_t made;      /* times that none was found */
    uint64_t forgotten; /* times that all were forgotten */
};

void clg_pipe_memory_open(struct clg_pipe_memory *memory);
void clg_pipe_memory_close(struct clg_pipe_memory *memory);

/* Forgets all plans. */
void clg_pipe_forget(struct clg_pipe_memory *memory);

/* The plan of that key, which the caller releases. NULL: the caller makes it, and remembers it with
 * *since. */
struct clg_pipe_known *clg_pipe_find(struct clg_pipe_memory *memory, const struct clg_pipe_key *key,
                                     uint64_t *since);

/* Remembers a new plan with one user, replacing the oldest. Ignores plans with so many pieces that
 * copying them takes far longer than planning, and plans that were made before everything was last
 * forgotten. */
void clg_pipe_remember(struct clg_pipe_memory *memory, struct clg_pipe_known *made, uint64_t since);

/* NULL is fine. */
void clg_pipe_release(struct clg_pipe_memory *memory, struct clg_pipe_known *known);

#endif
