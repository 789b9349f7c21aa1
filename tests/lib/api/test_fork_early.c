/* SPDX-License-Identifier: Apache-2.0
 * Processes that are forked before the first call that uses OpenCL, or during it: a child forked
 * before is as free as its parent, whatever locks other threads held. None hangs. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/child.h"
#include "support/device.h"

enum { CHILD_SECONDS = 30 };

/* ---- Before the first call ---- */

static atomic_bool stops;

/* Calls that use no OpenCL, and hold what a child's first call needs. */
static void *touch_all(void *unused) {
    while (!stops) {
        clgemm_set_option(NULL, CLGEMM_OPTION_VERIFY, CLGEMM_VERIFY_OFF);
        clgemm_set_option(NULL, CLGEMM_OPTION_MATH, CLGEMM_MATH_DEFAULT);
        clgemm_clear_cache();
    }
    return unused;
}

static int touch_once(void) {
    alarm(CHILD_SECONDS);
    return clgemm_set_option(NULL, CLGEMM_OPTION_VERIFY, CLGEMM_VERIFY_OFF) || clgemm_clear_cache();
}

static int multiply_once(void) {
    float a = 2, b = 3, c = 1;
    alarm(CHILD_SECONDS);
    return clgemm_sgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1, 1, &a, 1, &b,
                        1, 0, &c, 1) ||
           c != 6;
}

/* Role: children are as free as if they had not been forked, whatever another thread did. */
static int before_the_first_call(void) {
    enum { CHILDREN = 200 };
    pthread_t thread;
    int wrong = 0;
    if (pthread_create(&thread, NULL, touch_all, NULL))
        return 1;
    for (int i = 0; i < CHILDREN && !wrong; i++) {
        const pid_t child = fork();
        if (child == 0)
            _exit(touch_once());
        wrong = clg_test_wait_for(child);
    }
    stops = true;
    pthread_join(thread, NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(multiply_once());
    return wrong || clg_test_wait_for(child) || multiply_once();
}

static void children_before_the_first_call_are_free(void **state) {
    (void)state;
    clg_test_forks_beside_threads();
    assert_int_equal(clg_test_run_self("before", NULL, NULL, 0), 0);
}

/* ---- During the first call ---- */

static atomic_bool has_opened;

static void *open_first(void *status) {
    clgemm_handle *handle = NULL;
    *(clgemm_status *)status = clgemm_create(&handle, NULL);
    clgemm_destroy(handle);
    has_opened = true;
    return NULL;
}

/* A child forked before OpenCL was in use is free, but it may not be able to use OpenCL, because
 * its loader's locks may be held. So it makes no such call. */
static int ask_early(void) {
    alarm(CHILD_SECONDS);
    const clgemm_status status = clgemm_clear_cache();
    return status == CLGEMM_STATUS_FORKED || status == CLGEMM_SUCCESS ? 0 : 1;
}

/* Role. */
static int in_the_first_call(void) {
    pthread_t thread;
    clgemm_status status = CLGEMM_SUCCESS;
    int wrong = 0, children = 0;
    if (pthread_create(&thread, NULL, open_first, &status))
        return 1;
    for (; (!has_opened || children == 0) && !wrong; children++) {
        const pid_t child = fork();
        if (child == 0)
            _exit(ask_early());
        wrong = clg_test_wait_for(child);
    }
    pthread_join(thread, NULL);
    if (status == CLGEMM_STATUS_NO_DEVICE)
        return CLG_TEST_SKIP;
    clg_test_assert_success(status);
    clg_test_check_works(NULL);
    return wrong;
}

static void children_of_the_first_call_do_not_hang(void **state) {
    (void)state;
    clg_test_forks_beside_threads();
    for (int i = 0; i < 3; i++)
        assert_int_equal(clg_test_run_self("first", NULL, NULL, 0), 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_before_the_first_call_are_free),
        cmocka_unit_test(children_of_the_first_call_do_not_hang),
    };
    if (argc > 1)
        clg_test_end_child(strcmp(argv[1], "before") == 0 ? before_the_first_call()
                                                          : in_the_first_call());
    if (clg_test_run_self("first", NULL, NULL, 0) == CLG_TEST_SKIP)
        return CLG_TEST_SKIP;
    return cmocka_run_group_tests_name("fork early", tests, NULL, NULL);
}
