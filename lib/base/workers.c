/* SPDX-License-Identifier: Apache-2.0
 * Helper threads of a call. */
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/thread.h"

struct seat {
    struct clg_workers *workers;
    int who;
    pthread_t thread;
    pthread_cond_t wake;
    bool has_thread, called;
};

struct clg_workers {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t done;
    bool busy, ends;
    int wanted;  /* seats called for the current work */
    int running; /* also read without the lock */
    void (*work)(void *user, int who);
    void *user;
    struct seat seats[CLG_WORKERS_MOST];
};

/* Each thread that wakes up wakes two more, so the caller itself makes at most two system calls. */
static void wake_after(struct clg_workers *w, int who, int wanted) {
    for (int next = 2 * who; next <= 2 * who + 1; next++)
        if (next < wanted)
            pthread_cond_signal(&w->seats[next].wake);
}

static void *sit(void *given) {
    struct seat *seat = given;
    struct clg_workers *w = seat->workers;
    pthread_mutex_lock(&w->lock);
    while (!w->ends) {
        if (!seat->called) {
            pthread_cond_wait(&seat->wake, &w->lock);
            continue;
        }
        seat->called = false;
        __atomic_fetch_add(&w->running, 1, __ATOMIC_RELAXED);
        const int wanted = w->wanted;
        pthread_mutex_unlock(&w->lock);
        wake_after(w, seat->who, wanted);
        w->work(w->user, seat->who);
        pthread_mutex_lock(&w->lock);
        if (__atomic_sub_fetch(&w->running, 1, __ATOMIC_RELEASE) == 0)
            pthread_cond_signal(&w->done);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct clg_workers *clg_workers_new(void) {
    struct clg_workers *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->done, NULL);
    for (int i = 0; i < CLG_WORKERS_MOST; i++) {
        w->seats[i].workers = w;
        w->seats[i].who = i + 1;
        pthread_cond_init(&w->seats[i].wake, NULL);
    }
    return w;
}

void clg_workers_free(struct clg_workers *w) {
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->ends = true;
    for (int i = 0; i < CLG_WORKERS_MOST; i++)
        pthread_cond_signal(&w->seats[i].wake);
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < CLG_WORKERS_MOST; i++) {
        if (w->seats[i].has_thread)
            pthread_join(w->seats[i].thread, NULL);
        pthread_cond_destroy(&w->seats[i].wake);
    }
    pthread_cond_destroy(&w->done);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* Takes the pool for a call and wakes `helpers` threads. False if it is in use by another call. */
static bool call(struct clg_workers *w, int helpers, void (*work)(void *user, int who),
                 void *user) {
    static const char name[] = "clgemm-copy";
    pthread_mutex_lock(&w->lock);
    const bool ours = !w->busy;
    int wanted = 0;
    if (ours) {
        w->busy = true;
        w->work = work;
        w->user = user;
    }
    for (int i = 0; ours && i < helpers && i < CLG_WORKERS_MOST; i++) {
        struct seat *seat = &w->seats[i];
        if (!seat->has_thread && !clg_thread_start(&seat->thread, sit, seat, name))
            break;
        seat->has_thread = seat->called = true;
        wanted = i + 1;
    }
    if (ours)
        w->wanted = wanted;
    pthread_mutex_unlock(&w->lock);
    wake_after(w, 0, wanted);
    return ours;
}

/* Waits for the threads at work. Those that have not started yet are called off. */
static void dismiss(struct clg_workers *w) {
    enum { TURNS = 200 }; /* most threads finish within microseconds of each other */
    pthread_mutex_lock(&w->lock);
    for (int i = 0; i < CLG_WORKERS_MOST; i++)
        w->seats[i].called = false;
    pthread_mutex_unlock(&w->lock);
    for (int turn = 0; turn < TURNS && __atomic_load_n(&w->running, __ATOMIC_ACQUIRE); turn++)
        sched_yield();
    pthread_mutex_lock(&w->lock);
    while (__atomic_load_n(&w->running, __ATOMIC_ACQUIRE))
        pthread_cond_wait(&w->done, &w->lock);
    w->busy = false;
    pthread_mutex_unlock(&w->lock);
}

void clg_workers_run(struct clg_workers *w, int helpers, void (*work)(void *user, int who),
                     void *user) {
    const bool ours = w && helpers > 0 && call(w, helpers, work, user);
    work(user, 0);
    if (ours)
        dismiss(w);
}
