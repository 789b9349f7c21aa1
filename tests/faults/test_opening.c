/* SPDX-License-Identifier: Apache-2.0
 * Calls without a handle while another call opens a device: those on other devices do not wait, and
 * those on the same device wait until it is open, instead of opening it again. */
#define _GNU_SOURCE
#include "steer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "support/check.h"
#include "support/device.h"
#include "support/gemm.h"

enum { TICK_US = 1000, MOST_TICKS = 30000, SOME_TICKS = 100 };

/* A call without a handle in a thread of its own. */
struct job {
    struct clg_test_cl *cl; /* NULL: on host matrices, with the default device */
    struct clg_test_case test;
    struct clg_test_buffers buffers;
    clgemm_status status;
    pthread_t thread;
    atomic_bool done;
};

static void *call(void *argument) {
    struct job *job = argument;
    job->status = job->cl
                      ? clg_test_enqueue(job->cl, &job->test, &job->buffers, NULL, 0, NULL, NULL)
                      : clg_test_case_run(&job->test, NULL);
    job->done = true;
    return NULL;
}

static void start(struct job *job, struct clg_test_cl *cl) {
    const struct clg_test_problem problem = clg_test_small_problem();
    struct clg_test_random random = clg_test_random_start(1);
    *job = (struct job){.cl = cl};
    clg_test_case_create(&job->test, &problem, &random);
    if (cl)
        clg_test_buffers_create(cl, &job->test, &job->buffers);
    assert_int_equal(pthread_create(&job->thread, NULL, call, job), 0);
}

static bool ends(struct job *job) {
    for (int i = 0; i < MOST_TICKS && !job->done; i++)
        usleep(TICK_US);
    return job->done;
}

static void end(struct job *job) {
    pthread_join(job->thread, NULL);
    clg_test_assert_success(job->status);
    if (job->cl) {
        clg_test_buffers_check(job->cl, &job->test, &job->buffers, NULL);
        clg_test_buffers_release(&job->buffers);
    } else {
        clg_test_assert_no_fault(clg_test_case_fault(&job->test));
    }
    clg_test_case_destroy(&job->test);
}

static void do_alone(struct clg_test_cl *cl) {
    struct job job;
    start(&job, cl);
    end(&job);
}

/* While `closed` is being opened, which waits in `function`, calls on the others go on. */
static void check(struct clg_test_cl *closed, struct clg_test_cl *open, struct clg_test_cl *also,
                  const char *function, clgemm_build build) {
    struct job first, second, other, another;
    long waiting = 0;
    do_alone(open);
    do_alone(also);
    clg_test_assert_success(clgemm_set_option(NULL, CLGEMM_OPTION_BUILD, build));
    const long contexts = steer.live(FAULT_CONTEXT);
    steer.hold(function);
    start(&first, closed);
    for (int i = 0; i < MOST_TICKS && !waiting; i++) {
        usleep(TICK_US);
        waiting = steer.hold(function);
    }
    start(&second, closed);
    start(&other, open);
    start(&another, also);
    const bool went_on = ends(&other) && ends(&another);
    usleep(SOME_TICKS * TICK_US);
    const bool early = first.done || second.done;
    waiting += steer.hold(NULL);
    end(&first);
    end(&second);
    end(&other);
    end(&another);
    assert_true(went_on);
    assert_false(early);
    assert_int_equal(waiting, 1);
    assert_int_equal(steer.live(FAULT_CONTEXT), contexts + 1); /* opened once */
}

static struct clg_test_cl cls[2];

static int set_up(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++)
        clg_test_cl_open(&cls[i], 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    steer.hold(NULL);
    clg_test_assert_success(clgemm_set_option(NULL, CLGEMM_OPTION_BUILD, CLGEMM_BUILD_WAIT));
    clg_test_assert_success(clgemm_clear_cache());
    for (int i = 0; i < 2; i++)
        clg_test_cl_close(&cls[i]);
    return 0;
}

static void a_context_of_the_caller(void **state) {
    (void)state;
    check(&cls[0], &cls[1], NULL, "clRetainContext", CLGEMM_BUILD_WAIT);
}

static void the_default_device(void **state) {
    (void)state;
    check(NULL, &cls[0], &cls[1], "clCreateContext", CLGEMM_BUILD_WAIT);
}

/* The general programs are built when a device is opened. */
static void programs_for_builds_in_the_background(void **state) {
    (void)state;
    check(&cls[0], &cls[1], NULL, "clBuildProgram", CLGEMM_BUILD_BACKGROUND);
}

/* The next call opens it. */
static void a_failure_is_the_first_calls_alone(void **state) {
    struct job first, second;
    (void)state;
    steer.hold("clRetainContext");
    start(&first, &cls[0]);
    for (long waiting = 0; !waiting; waiting = steer.hold("clRetainContext"))
        usleep(TICK_US);
    start(&second, &cls[0]);
    usleep(SOME_TICKS * TICK_US);
    steer.arm(1, 0); /* the call that waits is the next one to be counted */
    steer.hold(NULL);
    pthread_join(first.thread, NULL);
    pthread_join(second.thread, NULL);
    steer.disarm();
    assert_string_equal(steer.where(), "clRetainContext");
    assert_int_equal(first.status, FAULT_CODE);
    first.status = CLGEMM_SUCCESS;
    clg_test_assert_success(second.status);
    clg_test_buffers_check(&cls[0], &second.test, &second.buffers, NULL);
    for (int i = 0; i < 2; i++) {
        clg_test_buffers_release(i ? &second.buffers : &first.buffers);
        clg_test_case_destroy(i ? &second.test : &first.test);
    }
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_context_of_the_caller, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_default_device, set_up, tear_down),
        cmocka_unit_test_setup_teardown(programs_for_builds_in_the_background, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failure_is_the_first_calls_alone, set_up, tear_down),
    };
    (void)argc;
    steer_setup(argv);
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
