/* SPDX-License-Identifier: Apache-2.0
 * The opener's thread, and what waits for it. */
#define _GNU_SOURCE /* pthread_tryjoin_np */
#include "blas/opener.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "blas/cpu.h"

enum { EXIT_WAITS_S = 20, FORK_WAITS_S = 5 };

/* Timed waits for threads use a clock that jumps when it is set. */
enum { MILLISECOND = 1000000 };

static const char name[] = "clgemm-open"; /* at most 15 characters */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below but `late` */
static pthread_t thread;
static bool has_thread, runs; /* it must be joined; its work is not finished */
static void (*work)(void);
static bool late;          /* atomic */
static bool watches_forks; /* since the library was loaded */

bool clg_opener_is_late(void) {
    return __atomic_load_n(&late, __ATOMIC_ACQUIRE);
}

static void *do_work(void *unused) {
    clg_depth++; /* calls that a runtime makes to a BLAS are passed on */
    work();
    return unused;
}

/* ---- The end of the process ---------------------------------------------------------------- */

static void join(void) {
    const double until = clg_clock_seconds() + EXIT_WAITS_S;
    pthread_mutex_lock(&lock);
    bool joins = has_thread && !pthread_equal(thread, pthread_self());
    has_thread &= !joins;
    pthread_mutex_unlock(&lock);
    while (joins && (joins = pthread_tryjoin_np(thread, NULL) == EBUSY) &&
           clg_clock_seconds() < until)
        clg_nap(MILLISECOND);
    if (joins)
        clg_log(CLG_LOG_ALWAYS, "the device is still being opened as the program ends");
}

static void wait_at_exit(void) {
    __atomic_store_n(&late, true, __ATOMIC_RELEASE);
    join();
}

static _Thread_local bool is_watched;

/* After the main thread has ended, no device is opened any more. */
static void wait_at_main_end(void *unused) {
    (void)unused;
    wait_at_exit();
}

static void wait_at_end(void *unused) {
    (void)unused;
    join();
}

static void watch_by(void (*wait)(void *user)) {
    if (!is_watched)
        is_watched = clg_thread_at_end(wait, NULL);
}

__attribute__((constructor)) static void watch_main_thread(void) {
    if (clg_thread_is_main())
        watch_by(wait_at_main_end);
}

void clg_opener_watch_thread(void) {
    watch_by(wait_at_end);
}

/* Exit handlers run in the reverse order of their registration. A runtime registers some at any
 * time while it is loaded and first compiles (destructors of LLVM's variables). Ours must run
 * before them, in whichever thread calls exit(), so it is registered again every millisecond. */
static void *run(void *unused) {
    enum { MOST = 4096 };
    pthread_t worker;
    bool works = clg_thread_start(&worker, do_work, NULL, name);
    if (!works)
        do_work(NULL);
    for (int i = 0; i < MOST && works; i++) {
        clg_nap(MILLISECOND);
        works = pthread_tryjoin_np(worker, NULL) == EBUSY;
        if (works && !clg_opener_is_late())
            atexit(wait_at_exit);
    }
    if (works)
        pthread_join(worker, NULL);
    pthread_mutex_lock(&lock);
    runs = false;
    pthread_mutex_unlock(&lock);
    return unused;
}

/* ---- fork() -------------------------------------------------------------------------------- */

static void before_fork(void) {
    const double until = clg_clock_seconds() + FORK_WAITS_S;
    pthread_mutex_lock(&lock);
    while (runs && !pthread_equal(thread, pthread_self()) && clg_clock_seconds() < until) {
        pthread_mutex_unlock(&lock);
        clg_nap(MILLISECOND);
        pthread_mutex_lock(&lock);
    }
}

static void after_fork(void) {
    pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void) {
    has_thread = runs = false;
    pthread_mutex_unlock(&lock);
}

/* Registered when the library is loaded: fork() runs only handlers that were registered when it
 * began. Those that are registered while another thread forks would be too late for that child. */
__attribute__((constructor)) static void watch_forks(void) {
    watches_forks = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
}

/* ---- Starting ------------------------------------------------------------------------------ */

/* The caller holds the lock. */
static bool watch(void) {
    static bool watches_exit;
    if (watches_forks && !watches_exit)
        watches_exit = atexit(wait_at_exit) == 0;
    return watches_exit;
}

bool clg_opener_start(void (*open)(void)) {
    pthread_mutex_lock(&lock);
    if (has_thread && !runs) { /* an earlier one that has finished */
        pthread_join(thread, NULL);
        has_thread = false;
    }
    const bool free_to = !has_thread && !clg_opener_is_late() && watch();
    if (free_to) {
        work = open;
        has_thread = runs = clg_thread_start(&thread, run, NULL, name);
    }
    const bool started = free_to && has_thread;
    pthread_mutex_unlock(&lock);
    return started;
}
