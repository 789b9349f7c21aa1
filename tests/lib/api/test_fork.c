/* SPDX-License-Identifier: Apache-2.0
 * Processes created while OpenCL is in use: while another thread opens the device, builds,
 * multiplies, or does nothing; by a thread; by children; by vfork() and posix_spawn() followed by
 * exec(). In a forked child every function returns CLGEMM_STATUS_FORKED and none hangs. A new
 * program is free, and the parent continues. */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "api/call.h"
#include "support/check.h"
#include "support/child.h"
#include "support/device.h"
#include "support/gemm.h"

enum { CHILD_SECONDS = 30 };

extern char **environ;

/* ---- What a child is told ---- */

#define ONE CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1, 1, &a, 1, &b, 1, 0, &c, 1
#define ONE_CL(m)                                                                                 \
    CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1, 1, m, 0, 1, m, 0, 1, 0, m, 0, 1, \
        NULL, 0, NULL, NULL

/* A batch without products. */
static clgemm_status ask_for_none(clgemm_handle *handle) {
    const clgemm_desc desc = clg_gemm_desc(CLGEMM_F32, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS,
                                           CLGEMM_NO_TRANS, 1, 1, 1, 1, 1, 1);
    const float one = 1;
    cl_event event = NULL;
    return clgemm_gemm_batch_cl(handle, &desc, 0, &one, NULL, NULL, NULL, NULL, &one, NULL, NULL,
                                NULL, 0, NULL, &event);
}

/* The number of a function that does not say so; 0: all do. `handle` may be NULL. */
static int ask_all(clgemm_handle *handle) {
    float a = 2, b = 3, c = 1;
    clgemm_handle *fresh = NULL;
    const clgemm_status said[] = {
        clgemm_sgemm(ONE),
        clgemm_create(&fresh, NULL),
        clgemm_tuning_import(NULL, NULL),
        clgemm_tuning_export(NULL, NULL),
        clgemm_tuning_forget(NULL),
        clgemm_warmup(NULL, NULL, 0),
        clgemm_set_option(NULL, CLGEMM_OPTION_VERIFY, CLGEMM_VERIFY_OFF),
        clgemm_sgemm_cl(ONE_CL(NULL)),
        ask_for_none(handle),
        clgemm_clear_cache(),
        handle ? clgemm_handle_sgemm(handle, ONE) : CLGEMM_STATUS_FORKED,
        handle ? clgemm_set_option(handle, CLGEMM_OPTION_MATH, CLGEMM_MATH_STRICT)
               : CLGEMM_STATUS_FORKED,
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i] != CLGEMM_STATUS_FORKED)
            return (int)i + 1;
    if (fresh || c != 1 || clgemm_min_flops(handle) != INT64_MAX || !*clgemm_last_error())
        return 20;
    clgemm_destroy(handle); /* must not hang on locks and threads of the parent */
    return 0;
}

static void *ask_in_thread(void *result) {
    *(int *)result = ask_all(NULL);
    return NULL;
}

/* In a child: in it, in a thread of it, and in a child of it. */
static int ask_around(clgemm_handle *handle, int generations) {
    pthread_t thread;
    int answer = -1;
    alarm(CHILD_SECONDS);
    if (pthread_create(&thread, NULL, ask_in_thread, &answer) || pthread_join(thread, NULL))
        return 30;
    if (answer)
        return 40 + answer;
    if (generations > 1) {
        const pid_t child = fork();
        if (child == 0)
            _exit(ask_around(handle, generations - 1));
        if ((answer = clg_test_wait_for(child)))
            return answer > 0 ? 60 + answer : 99;
    }
    return ask_all(handle);
}

static int fork_and_ask(clgemm_handle *handle) {
    const pid_t child = fork();
    if (child == 0)
        _exit(ask_around(handle, 2));
    return clg_test_wait_for(child);
}

/* ---- While another thread works ---- */

enum phase { OPENING, BUILDING, MULTIPLYING, IDLE, PHASES };
static _Atomic(enum phase) phase = OPENING;
static atomic_int forked[PHASES];
static atomic_bool stops;

enum { CHILDREN_EACH = 4, MOST_ROUNDS = 400 };

/* As many children as needed, or failure if there is no end. */
static bool goes_on(enum phase now, int round) {
    return forked[now] < CHILDREN_EACH && round < MOST_ROUNDS;
}

/* Opens, builds and multiplies until children have been forked meanwhile. */
static void *work(void *unused) {
    clgemm_handle *handle = NULL;
    for (int i = 0; goes_on(OPENING, i); i++) {
        clgemm_destroy(handle);
        clg_test_assert_success(clgemm_create(&handle, NULL));
    }
    phase = BUILDING;
    for (int i = 0; goes_on(BUILDING, i); i++) {
        const clgemm_shape shape = {1 + i % 7, 40 + i, 30, CLGEMM_NO_TRANS, CLGEMM_TRANS};
        clgemm_destroy(handle);
        clg_test_assert_success(clgemm_create(&handle, NULL));
        clg_test_assert_success(clgemm_warmup(handle, &shape, 1));
    }
    phase = MULTIPLYING;
    for (int i = 0; goes_on(MULTIPLYING, i); i++)
        clg_test_check_works(handle);
    phase = IDLE;
    for (int i = 0; goes_on(IDLE, i); i++)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    clg_test_check_works(handle);
    clgemm_destroy(handle);
    stops = true;
    return unused;
}

/* By a thread that is not the main thread. */
static void *fork_meanwhile(void *result) {
    int *wrong = result;
    while (!stops && !*wrong) {
        const enum phase now = phase;
        *wrong = fork_and_ask(NULL);
        forked[now]++;
        if (*wrong)
            print_error("a child in phase %d: %d\n", (int)now, *wrong);
    }
    return NULL;
}

/* Role: records the process before its threads begin. */
static int meanwhile(void) {
    pthread_t worker, forker;
    int wrong = 0;
    clg_test_check_works(NULL);
    if (pthread_create(&worker, NULL, work, NULL) ||
        pthread_create(&forker, NULL, fork_meanwhile, &wrong))
        return 1;
    pthread_join(worker, NULL);
    pthread_join(forker, NULL);
    clg_test_check_works(NULL);
    for (int i = 0; i < PHASES; i++)
        if (forked[i] == 0)
            return 2;
    return wrong ? 3 : 0;
}

static void children_meanwhile_are_told_so(void **state) {
    (void)state;
    clg_test_forks_beside_threads();
    assert_int_equal(clg_test_run_self("meanwhile", NULL, NULL, 0), 0);
}

/* ---- After use ---- */

static void a_child_is_told_so(void **state) {
    clgemm_handle *handle;
    (void)state;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    clg_test_check_works(handle);
    clg_test_check_works(NULL);
    assert_int_equal(fork_and_ask(handle), 0);
    clg_test_check_works(handle);
    clg_test_check_works(NULL);
    clgemm_destroy(handle);
}

/* Commands that wait for the caller's event are in the parent's queue. */
static void a_child_of_a_product_under_way_is_told_so(void **state) {
    struct clg_test_cl cl;
    struct clg_test_case test;
    struct clg_test_buffers buffers;
    struct clg_test_random random = clg_test_random_start(5);
    const struct clg_test_problem problem = clg_test_small_problem();
    cl_int error;
    cl_event done, go;
    (void)state;
    clg_test_cl_open(&cl, 0);
    clg_test_case_create(&test, &problem, &random);
    clg_test_buffers_create(&cl, &test, &buffers);
    go = clCreateUserEvent(cl.context, &error);
    assert_int_equal(error, CL_SUCCESS);
    clg_test_assert_success(clg_test_enqueue(&cl, &test, &buffers, NULL, 1, &go, &done));
    const int child = fork_and_ask(NULL);
    clSetUserEventStatus(go, CL_COMPLETE);
    clg_test_read_back(&cl, buffers.c, &test.c, done);
    clg_test_assert_no_fault(clg_test_case_fault(&test));
    clReleaseEvent(go);
    clReleaseEvent(done);
    clg_test_buffers_release(&buffers);
    clg_test_case_destroy(&test);
    clg_test_cl_close(&cl);
    assert_int_equal(child, 0);
}

/* Role. */
static int multiply_once(void) {
    float a = 2, b = 3, c = 1;
    alarm(CHILD_SECONDS);
    return clgemm_sgemm(ONE) || c != 6;
}

/* A process that runs another program is free, whatever its parent did. */
static void a_new_program_is_free(void **state) {
    char *const fresh[] = {"test", "fresh", NULL};
    pid_t child;
    (void)state;
    clg_test_check_works(NULL);
    if ((child = vfork()) == 0) {
        execv("/proc/self/exe", fresh);
        _exit(100);
    }
    assert_int_equal(clg_test_wait_for(child), 0);
    clg_test_check_works(NULL);
    assert_int_equal(posix_spawn(&child, "/proc/self/exe", NULL, NULL, fresh, environ), 0);
    assert_int_equal(clg_test_wait_for(child), 0);
    clg_test_check_works(NULL);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_meanwhile_are_told_so),
        cmocka_unit_test(a_child_is_told_so),
        cmocka_unit_test(a_child_of_a_product_under_way_is_told_so),
        cmocka_unit_test(a_new_program_is_free),
    };
    if (argc > 1)
        clg_test_end_child(strcmp(argv[1], "fresh") == 0 ? multiply_once() : meanwhile());
    clg_test_require_device();
    return cmocka_run_group_tests_name("fork", tests, NULL, NULL);
}
