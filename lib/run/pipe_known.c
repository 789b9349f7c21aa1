/* SPDX-License-Identifier: Apache-2.0
 * Remembers plans of pipelines. */
#include "run/pipe_known.h"

#include <stdlib.h>

/* These take about 200 KB of a plan. */
enum { MOST_PIECES = 2000 };

void clg_pipe_memory_open(struct clg_pipe_memory *memory) {
    *memory = (struct clg_pipe_memory){0};
    pthread_mutex_init(&memory->lock, NULL);
}

void clg_pipe_memory_close(struct clg_pipe_memory *memory) {
    clg_pipe_forget(memory);
    pthread_mutex_destroy(&memory->lock);
}

void clg_pipe_known_clear(struct clg_pipe_known *known) {
    clg_pipe_plan_free(&known->plan);
    free(known->joint);
}

/* The caller holds the lock. */
static void release(struct clg_pipe_known *known) {
    if (!known || --known->users > 0)
        return;
    clg_pipe_known_clear(known);
    free(known);
}

void clg_pipe_release(struct clg_pipe_memory *memory, struct clg_pipe_known *known) {
    pthread_mutex_lock(&memory->lock);
    release(known);
    pthread_mutex_unlock(&memory->lock);
}

void clg_pipe_forget(struct clg_pipe_memory *memory) {
    pthread_mutex_lock(&memory->lock);
    memory->forgotten++;
    for (int i = 0; i < CLG_PIPES_KNOWN; i++) {
        release(memory->known[i]);
        memory->known[i] = NULL;
    }
    pthread_mutex_unlock(&memory->lock);
}

static bool equal(const struct clg_pipe_key *left, const struct clg_pipe_key *right) {
    return left->has_beta == right->has_beta && left->direct == right->direct &&
           left->room == right->room && clg_problem_equal(&left->problem, &right->problem);
}

struct clg_pipe_known *clg_pipe_find(struct clg_pipe_memory *memory, const struct clg_pipe_key *key,
                                     uint64_t *since) {
    struct clg_pipe_known *found = NULL;
    pthread_mutex_lock(&memory->lock);
    for (int i = 0; i < CLG_PIPES_KNOWN && !found; i++)
        if (memory->known[i] && equal(&memory->known[i]->key, key))
            found = memory->known[i];
    if (found)
        found->users++;
    memory->made += !found;
    *since = memory->forgotten;
    pthread_mutex_unlock(&memory->lock);
    return found;
}

void clg_pipe_remember(struct clg_pipe_memory *memory, struct clg_pipe_known *made,
                       uint64_t since) {
    if (made->plan.num_up + made->plan.num_down > MOST_PIECES)
        return;
    pthread_mutex_lock(&memory->lock);
    if (since == memory->forgotten) {
        release(memory->known[memory->oldest]);
        memory->known[memory->oldest] = made;
        made->users++;
        memory->oldest = (memory->oldest + 1) % CLG_PIPES_KNOWN;
    }
    pthread_mutex_unlock(&memory->lock);
}
