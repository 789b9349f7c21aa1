/* SPDX-License-Identifier: Apache-2.0
 * Builds the programs of plans in a thread of the library. */
#include "run/builder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/thread.h"
#include "gemm/small.h"

/* A request: a plan, identified by its programs. */
struct wish {
    struct clg_hash programs;
    struct clg_plan plan;
};

struct clg_builder {
    void (*build)(void *user, const struct clg_plan *plan);
    void (*end)(void *user);
    void *user;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    pthread_t thread;
    bool has_thread, ends, is_building;
    struct clg_hash under_way;
    struct clg_plan plan; /* being built; only the thread uses it */
    struct wish wishes[CLG_BUILDER_WISHES];
    int count;
    struct clg_builder *next; /* in the list of builders that exit() ends; guarded by exit_lock */
};

static bool same(const struct clg_hash *one, const struct clg_hash *other) {
    return memcmp(one->bytes, other->bytes, sizeof one->bytes) == 0;
}

/* ---- The thread ---- */

/* Builds the oldest request. The caller holds the lock, which is released meanwhile. */
static void build_one(struct clg_builder *b) {
    b->plan = b->wishes[0].plan;
    b->under_way = b->wishes[0].programs;
    b->is_building = true;
    b->count--;
    memmove(&b->wishes[0], &b->wishes[1], (size_t)b->count * sizeof b->wishes[0]);
    pthread_mutex_unlock(&b->lock);

    b->build(b->user, &b->plan);
    pthread_mutex_lock(&b->lock);
    b->is_building = false;
    pthread_cond_broadcast(&b->changed);
}

static void *run(void *builder) {
    struct clg_builder *b = builder;
    pthread_mutex_lock(&b->lock);
    while (!b->ends) {
        if (b->count == 0)
            pthread_cond_wait(&b->changed, &b->lock);
        else
            build_one(b);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

/* Ends the thread, if there is one other than this thread, and waits for it. */
static void end(struct clg_builder *b) {
    pthread_mutex_lock(&b->lock);
    const bool joins = b->has_thread && !pthread_equal(b->thread, pthread_self());
    b->ends = true;
    b->has_thread = false;
    b->count = 0;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    b->end(b->user);
    if (joins)
        pthread_join(b->thread, NULL);
}

/* ---- The end of the process ---- */

static pthread_mutex_t exit_lock = PTHREAD_MUTEX_INITIALIZER;
static struct clg_builder *builders;

/* Called by exit(), before it destroys what a build needs. A forked child has no threads to end. */
static void end_all(void) {
    if (clg_process_is_child())
        return;
    pthread_mutex_lock(&exit_lock);
    for (struct clg_builder *b = builders; b; b = b->next)
        end(b);
    pthread_mutex_unlock(&exit_lock);
}

static void end_all_at_main_end(void *unused) {
    (void)unused;
    end_all();
}

/* Exit handlers run in reverse order, and a compiler registers its own when it is first used. Such
 * a handler can run before one that the library registered earlier, while a build still uses what
 * it destroys. So a main thread that has made a request ends all builders before any handler runs.
 * For exit() in another thread, each new request registers the library's handler once more. Only
 * handlers that the build itself registers then run before it. */
static void watch_exit(void) {
    enum { MOST = 64 };
    static int handlers;
    static bool watches_main;
    pthread_mutex_lock(&exit_lock);
    if (handlers < MOST && atexit(end_all) == 0)
        handlers++;
    if (!watches_main && clg_thread_is_main())
        watches_main = clg_thread_at_end(end_all_at_main_end, NULL);
    pthread_mutex_unlock(&exit_lock);
}

static void enlist(struct clg_builder *b) {
    pthread_mutex_lock(&exit_lock);
    b->next = builders;
    builders = b;
    pthread_mutex_unlock(&exit_lock);
}

static void strike_off(const struct clg_builder *b) {
    pthread_mutex_lock(&exit_lock);
    for (struct clg_builder **link = &builders; *link; link = &(*link)->next)
        if (*link == b) {
            *link = b->next;
            break;
        }
    pthread_mutex_unlock(&exit_lock);
}

/* Starts the thread. The caller holds the lock. */
static bool start(struct clg_builder *b) {
    static const char name[] = "clgemm-build"; /* at most 15 characters */
    if (!b->has_thread && !b->ends)
        b->has_thread = clg_thread_start(&b->thread, run, b, name);
    return b->has_thread;
}

/* ---- Builders ---- */

struct clg_builder *clg_builder_new(void (*build)(void *user, const struct clg_plan *plan),
                                    void (*end)(void *user), void *user) {
    struct clg_builder *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->build = build;
    b->end = end;
    b->user = user;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    enlist(b);
    return b;
}

void clg_builder_free(struct clg_builder *b) {
    if (!b)
        return;
    strike_off(b);
    end(b);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

/* Whether the programs have been requested. The caller holds the lock. */
static bool is_known(const struct clg_builder *b, const struct clg_hash *programs) {
    bool known = b->is_building && same(&b->under_way, programs);
    for (int i = 0; i < b->count && !known; i++)
        known = same(&b->wishes[i].programs, programs);
    return known;
}

enum clg_wish clg_builder_wish(struct clg_builder *b, const struct clg_plan *plan) {
    const struct clg_hash programs = clg_plan_programs(plan, false);
    enum clg_wish wish = CLG_WISH_GRANTED;
    bool is_new = false;
    pthread_mutex_lock(&b->lock);
    if (!is_known(b, &programs)) {
        wish = b->count == CLG_BUILDER_WISHES ? CLG_WISH_LATER
               : start(b)                     ? CLG_WISH_GRANTED
                                              : CLG_WISH_REFUSED;
        if (wish == CLG_WISH_GRANTED) {
            b->wishes[b->count].programs = programs;
            b->wishes[b->count++].plan = *plan;
            pthread_cond_broadcast(&b->changed);
            is_new = true;
        }
    }
    pthread_mutex_unlock(&b->lock);
    if (is_new)
        watch_exit();
    return wish;
}

/* The caller holds the lock. */
static bool rests(const struct clg_builder *b) {
    return !b->has_thread || (b->count == 0 && !b->is_building);
}

bool clg_builder_rests(struct clg_builder *b) {
    pthread_mutex_lock(&b->lock);
    const bool resting = rests(b);
    pthread_mutex_unlock(&b->lock);
    return resting;
}

void clg_builder_wait(struct clg_builder *b) {
    pthread_mutex_lock(&b->lock);
    while (!rests(b))
        pthread_cond_wait(&b->changed, &b->lock);
    pthread_mutex_unlock(&b->lock);
}
