/* SPDX-License-Identifier: Apache-2.0
 * The drop-in in a process that creates others: before its first product, while another thread
 * opens the device or multiplies, and afterwards; by children, by vfork() and posix_spawn(). Every
 * product is right; a forked child computes on the CPU. */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "drop_in.h"
#include "support/child.h"
#include "support/device.h"

static const char *const on_device[] = {"CLGEMM_MIN_FLOPS=0", NULL};

extern char **environ;

static int fork_and_multiply(int size, int generations) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); /* turns a child that hangs into a failure */
        drop_in_multiply(size, 0.5F);
        clg_test_end_child(generations > 1 ? fork_and_multiply(size, generations - 1) : 0);
    }
    return clg_test_wait_for(child);
}

static int forks_after_use(void) {
    drop_in_multiply(50, 0);
    const int child = fork_and_multiply(60, 2);
    drop_in_multiply(50, 0);
    return child;
}

static void a_child_after_first_use_is_on_the_cpu(void **state) {
    (void)state;
    drop_in_succeed("forks after use", on_device);
    drop_in_assert_lines("?gemm on=device", 2);
    drop_in_assert_lines("?gemm on=cpu why=forked", 2);
    drop_in_assert_lines("?gemm failed", 0); /* libclgemm is not called at all */
}

static int forks_before_use(void) {
    return fork_and_multiply(60, 1) || fork_and_multiply(60, 1);
}

static void a_child_before_first_use_is_free(void **state) {
    (void)state;
    drop_in_succeed("forks before use", on_device);
    drop_in_assert_lines("?gemm on=device", 2);
    drop_in_assert_lines("?gemm on=cpu", 0);
}

/* ---- While another thread works ---- */

enum { CALLS = 40, MOST_CHILDREN = 60 };
static atomic_int calls_made;
static atomic_bool may_end;

static void *call_often(void *unused) {
    while (calls_made < CALLS || !may_end) {
        drop_in_multiply(30 + calls_made % 9, 0.5F);
        calls_made++;
    }
    return unused;
}

/* From before the first product, which opens the device, to after many. */
static int forks_meanwhile(void) {
    pthread_t thread;
    int wrong = 0;
    if (pthread_create(&thread, NULL, call_often, NULL))
        return 1;
    for (int i = 0; i < MOST_CHILDREN && !wrong && (i < 5 || calls_made < CALLS); i++)
        wrong = fork_and_multiply(40, 2);
    may_end = true;
    pthread_join(thread, NULL);
    drop_in_multiply(50, 0);
    return wrong;
}

static void children_meanwhile_are_right(void **state) {
    (void)state;
    clg_test_forks_beside_threads();
    drop_in_succeed("forks meanwhile", on_device);
    assert_true(drop_in_lines("?gemm on=device") > CALLS);
    assert_true(drop_in_lines("?gemm on=cpu why=forked") > 0);
    drop_in_assert_lines("?gemm failed", 0);
}

/* ---- Other programs ---- */

static int multiplies(void) {
    drop_in_multiply(50, 0.5F);
    return 0;
}

static int spawns(void) {
    char role[] = "? multiplies";
    char *const arguments[] = {"test", role, NULL};
    pid_t child;
    drop_in_name_type(role);
    drop_in_multiply(50, 0);
    if ((child = vfork()) == 0) {
        execv("/proc/self/exe", arguments);
        _exit(100);
    }
    int wrong = clg_test_wait_for(child);
    if (!wrong && posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ))
        wrong = 1;
    if (!wrong)
        wrong = clg_test_wait_for(child);
    drop_in_multiply(50, 0);
    return wrong;
}

static void a_new_program_has_its_own_device(void **state) {
    (void)state;
    drop_in_succeed("spawns", on_device);
    drop_in_assert_lines("?gemm on=device", 4);
    drop_in_assert_lines("?gemm on=cpu", 0);
}

static int own_tests(void) {
    clg_test_require_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_after_first_use_is_on_the_cpu),
        cmocka_unit_test(a_child_before_first_use_is_free),
        cmocka_unit_test(children_meanwhile_are_right),
        cmocka_unit_test(a_new_program_has_its_own_device),
    };
    return cmocka_run_group_tests_name("blas: fork", tests, NULL, NULL);
}

int main(int argc, char **argv) {
    static const struct role roles[] = {{"forks after use", forks_after_use},
                                        {"forks before use", forks_before_use},
                                        {"forks meanwhile", forks_meanwhile},
                                        {"multiplies", multiplies},
                                        {"spawns", spawns}};
    return drop_in_main(argc, argv, ONE_TYPE, roles, sizeof roles / sizeof roles[0], own_tests);
}
