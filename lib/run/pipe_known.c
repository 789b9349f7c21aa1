/* SPDX-License-Identifier: Apache-2.0
 * The remembered plans of pipelines. */
#include "run/pipe_known.h"

#include <stdlib.h>

/* These take about 200 KB of a plan. */
enum { MOST_PIECES = 2000 };

void clg_pipe_known_clear(struct clg_pipe_known *known) {
    clg_pipe_plan_free(&known->plan);
    free(known->joint);
}

static void free_pipe(struct clg_known *known) {
    clg_pipe_known_clear((struct clg_pipe_known *)known);
    free(known);
}

static bool is_for(const struct clg_known *known, const void *key) {
    const struct clg_pipe_key *left = &((const struct clg_pipe_known *)known)->key, *right = key;
    return left->has_beta == right->has_beta && left->direct == right->direct &&
           left->room == right->room && clg_problem_equal(&left->problem, &right->problem);
}

void clg_pipes_open(struct clg_known_table *pipes) {
    clg_known_open(pipes, CLG_PIPES_KNOWN, is_for);
}

struct clg_pipe_known *clg_pipes_find(struct clg_known_table *pipes, const struct clg_pipe_key *key,
                                      uint64_t *since) {
    const uint64_t hash = clg_problem_hash(&key->problem);
    return (struct clg_pipe_known *)clg_known_find(pipes, hash, key, since);
}

struct clg_pipe_known *clg_pipe_known_new(const struct clg_pipe_key *key) {
    struct clg_pipe_known *made = calloc(1, sizeof *made);
    if (made) {
        made->known.hash = clg_problem_hash(&key->problem);
        made->known.free = free_pipe;
        made->known.users = 1;
        made->key = *key;
    }
    return made;
}

void clg_pipes_keep(struct clg_known_table *pipes, struct clg_pipe_known *made, uint64_t since) {
    if (made->plan.num_up + made->plan.num_down <= MOST_PIECES)
        clg_known_keep(pipes, &made->known, since);
}
