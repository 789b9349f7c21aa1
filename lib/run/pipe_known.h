/* SPDX-License-Identifier: Apache-2.0
 * Plans of pipelines that are remembered, since programs that multiply tend to repeat themselves:
 * making one takes 1 us for a small product and 60 for a large one. */
#ifndef CLG_RUN_PIPE_KNOWN_H
#define CLG_RUN_PIPE_KNOWN_H

#include <pthread.h>

#include "run/pipe_steps.h"

/* Of which problem, and made with what. */
struct clg_pipe_key {
    struct clg_problem problem;
    bool has_beta;
    unsigned direct; /* see struct clg_pipe_plan */
    uint64_t room;   /* facts->workspace_max, which tests change */
};

/* Never changes once it is remembered; `users` is guarded by the memory's lock. */
struct clg_pipe_known {
    int users;
    struct clg_pipe_key key;
    int64_t products; /* that it does at a time; 0: the problem has to go without a pipeline */
    struct clg_pipe_plan plan;
    struct clg_pipe_joint *joint; /* in its stead, from malloc; NULL: none */
};

/* Releases what it holds, not itself. */
void clg_pipe_known_clear(struct clg_pipe_known *known);

enum { CLG_PIPES_KNOWN = 16 };

struct clg_pipe_memory {
    pthread_mutex_t lock;
    struct clg_pipe_known *known[CLG_PIPES_KNOWN];
    int oldest;
    uint64_t made;      /* how often one was not there */
    uint64_t forgotten; /* how often all were forgotten */
};

void clg_pipe_memory_open(struct clg_pipe_memory *memory);
void clg_pipe_memory_close(struct clg_pipe_memory *memory);

/* Forgets all. */
void clg_pipe_forget(struct clg_pipe_memory *memory);

/* The plan of that key, to be released; NULL: to be made, and remembered with *since. */
struct clg_pipe_known *clg_pipe_find(struct clg_pipe_memory *memory, const struct clg_pipe_key *key,
                                     uint64_t *since);

/* Remembers one that has just been made, with one user, in place of the oldest; but none of so many
 * pieces that copying these takes far longer than planning did, nor one that may have been made by
 * what has been forgotten. */
void clg_pipe_remember(struct clg_pipe_memory *memory, struct clg_pipe_known *made, uint64_t since);

/* NULL is fine. */
void clg_pipe_release(struct clg_pipe_memory *memory, struct clg_pipe_known *known);

#endif
