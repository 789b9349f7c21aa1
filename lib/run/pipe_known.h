/* SPDX-License-Identifier: Apache-2.0
 * The remembered plans of pipelines. */
#ifndef CLG_RUN_PIPE_KNOWN_H
#define CLG_RUN_PIPE_KNOWN_H

#include "base/known.h"
#include "run/pipe_steps.h"

/* The problem, and what else its plan was made from. */
struct clg_pipe_key {
    struct clg_problem problem;
    bool has_beta;
    unsigned direct; /* see struct clg_pipe_plan */
    uint64_t room;   /* facts->workspace_max, which tests change */
};

struct clg_pipe_known {
    struct clg_known known;
    struct clg_pipe_key key;
    int64_t products; /* computed at a time; 0: the problem cannot use a pipeline */
    struct clg_pipe_plan plan;
    struct clg_pipe_joint *joint; /* if not NULL, used instead of `plan`; from malloc() */
};

/* Releases what it holds, but not itself. */
void clg_pipe_known_clear(struct clg_pipe_known *known);

enum { CLG_PIPES_KNOWN = 16 };

void clg_pipes_open(struct clg_known_table *pipes);

/* The remembered plan of that key, or NULL, as clg_known_find. */
struct clg_pipe_known *clg_pipes_find(struct clg_known_table *pipes, const struct clg_pipe_key *key,
                                      uint64_t *since);

/* A new one with one user and no plan. NULL if memory is short. */
struct clg_pipe_known *clg_pipe_known_new(const struct clg_pipe_key *key);

/* Remembers it, unless it has so many pieces that copying them takes far longer than planning. */
void clg_pipes_keep(struct clg_known_table *pipes, struct clg_pipe_known *made, uint64_t since);

#endif
