/* SPDX-License-Identifier: Apache-2.0
 * Threads that help a call: all work is done, signals stay with the program's threads, calls at the
 * same time, the end. */
#define _GNU_SOURCE /* sched_setaffinity */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/thread.h"
#include "support/check.h"
#include "support/child.h"

enum { MANY = 2000 };

struct job {
    int next, done, who[CLG_WORKERS_MOST + 1], signals;
};

static void work(void *user, int who) {
    struct job *job = user;
    sigset_t mask;
    __atomic_fetch_add(&job->who[who], 1, __ATOMIC_SEQ_CST);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (who > 0 && (!sigismember(&mask, SIGINT) || sigismember(&mask, SIGSEGV)))
        __atomic_fetch_add(&job->signals, 1, __ATOMIC_SEQ_CST);
    while (__atomic_fetch_add(&job->next, 1, __ATOMIC_SEQ_CST) < MANY) {
        __atomic_fetch_add(&job->done, 1, __ATOMIC_SEQ_CST);
        sched_yield();
    }
}

static void all_is_done_when_it_returns(void **state) {
    struct clg_workers *workers = clg_workers_new();
    int came = 0;
    (void)state;
    for (int turn = 0; turn < 50; turn++) {
        struct job job = {0};
        clg_workers_run(workers, 3, work, &job);
        assert_int_equal(job.done, MANY);
        assert_int_equal(job.who[0], 1);
        assert_int_equal(job.who[4], 0);
        assert_int_equal(job.signals, 0);
        for (int i = 1; i <= 3; i++)
            assert_true(job.who[i] <= 1);
        came += job.who[1] + job.who[2] + job.who[3];
    }
    assert_true(came > 0);
    clg_workers_free(workers);
}

static void without_workers(void **state) {
    struct job job = {0};
    (void)state;
    clg_workers_run(NULL, 3, work, &job);
    assert_int_equal(job.done, MANY);
    clg_workers_free(NULL);
    clg_workers_free(clg_workers_new());
    assert_true(clg_thread_processors() >= 1);
}

static void *no_work(void *user) {
    return user;
}

/* In a process without memory for another stack. */
static int without_threads(void) {
    struct clg_workers *workers = clg_workers_new();
    const struct rlimit none = {1 << 20, 1 << 20};
    struct job job = {0};
    pthread_t thread;
    if (setrlimit(RLIMIT_AS, &none) || pthread_create(&thread, NULL, no_work, NULL) == 0)
        return 2;
    clg_workers_run(workers, 3, work, &job);
    clg_workers_free(workers);
    return job.done == MANY && job.who[0] == 1 && job.who[1] == 0 ? 0 : 1;
}

/* Nor here; so what may be started without a trial tells where there is one. */
static int trials(void) {
    enum { COUNT = 20 };
    const struct rlimit none = {1 << 20, 1 << 20}, near = {COUNT, COUNT};
    struct rlimit far;
    if (getrlimit(RLIMIT_NPROC, &far) || setrlimit(RLIMIT_AS, &none))
        return 2;
    far.rlim_cur = far.rlim_max;
    if (setrlimit(RLIMIT_NPROC, &far) || !clg_thread_may_start(COUNT))
        return 3;
    return setrlimit(RLIMIT_NPROC, &near) || clg_thread_may_start(COUNT);
}

static int bound_to_one(void) {
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all))
        return 2;
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    return sched_setaffinity(0, sizeof one, &one) ? 2 : clg_thread_processors() != 1;
}

static void assert_child(int (*function)(void)) {
    const pid_t child = fork();
    if (child == 0)
        _exit(function());
    assert_true(child > 0);
    assert_int_equal(clg_test_wait_for(child), 0);
}

/* First: the number is queried once in a process. */
static void processors_are_those_it_is_bound_to(void **state) {
    (void)state;
    assert_child(bound_to_one);
}

static void a_thread_that_cannot_start_is_missing(void **state) {
    (void)state;
#ifdef CLG_TEST_ASAN
    skip(); /* it cannot run with so little either */
#endif
    assert_child(without_threads);
}

static void threads_are_tried_near_a_limit_only(void **state) {
    (void)state;
#if defined(CLG_TEST_TSAN) || defined(CLG_TEST_ASAN)
    skip(); /* sanitizers need address space in the child */
#endif
    assert_child(trials);
}

static void *call(void *workers) {
    for (int turn = 0; turn < 30; turn++) {
        struct job job = {0};
        clg_workers_run(workers, 2, work, &job);
        if (job.done != MANY)
            return "work is missing";
    }
    return NULL;
}

static void calls_at_the_same_time(void **state) {
    enum { CALLERS = 4 };
    struct clg_workers *workers = clg_workers_new();
    pthread_t threads[CALLERS];
    (void)state;
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call, workers), 0);
    for (int i = 0; i < CALLERS; i++) {
        void *fault = NULL;
        pthread_join(threads[i], &fault);
        assert_null(fault);
    }
    clg_workers_free(workers);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors_are_those_it_is_bound_to),
        cmocka_unit_test(a_thread_that_cannot_start_is_missing),
        cmocka_unit_test(threads_are_tried_near_a_limit_only),
        cmocka_unit_test(all_is_done_when_it_returns),
        cmocka_unit_test(without_workers),
        cmocka_unit_test(calls_at_the_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
