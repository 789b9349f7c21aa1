/* SPDX-License-Identifier: Apache-2.0
 * A process and its children are distinguished, however they were forked. Children that tests start
 * find the drivers of the test. No device is needed. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "support/check.h"
#include "support/child.h"

enum { PARENT_SEEN = 3, CHILD_SEEN = 4 };

static pid_t fork_past_libc(void) {
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

/* What a child, or its child, reports. */
static int ask_child(pid_t (*make)(void), int generations) {
    const pid_t child = make();
    assert_true(child >= 0);
    if (child == 0) {
        if (generations > 1)
            _exit(ask_child(make, generations - 1));
        _exit(clg_process_is_child() ? CHILD_SEEN : PARENT_SEEN);
    }
    int state = 0;
    assert_int_equal(waitpid(child, &state, 0), child);
    assert_true(WIFEXITED(state));
    return WEXITSTATUS(state);
}

static void nobody_is_a_child_before_the_note(void **state) {
    (void)state;
    assert_int_equal(clg_process_noted(), 0);
    assert_false(clg_process_is_child());
    assert_int_equal(ask_child(fork, 1), PARENT_SEEN);
}

static void children_are_told_apart(void **state) {
    (void)state;
    for (int again = 0; again < 2; again++) {
        clg_process_note();
        assert_int_equal(clg_process_noted(), getpid());
        assert_false(clg_process_is_child());
        assert_int_equal(ask_child(fork, 1), CHILD_SEEN);
        assert_int_equal(ask_child(fork, 2), CHILD_SEEN);
        assert_int_equal(ask_child(fork_past_libc, 1), CHILD_SEEN);
    }
}

/* A loader that cuts the list of drivers in place, and a child after that. */
static int cut_list(void) {
    char *list = getenv("OCL_ICD_FILENAMES");
    if (!list || !strchr(list, ':'))
        return 1;
    *strchr(list, ':') = '\0';
    return clg_test_run_self("show list", NULL, NULL, 0);
}

static int show_list(void) {
    const char *list = getenv("OCL_ICD_FILENAMES");
    puts(list ? list : "none");
    return 0;
}

static void a_loader_that_cuts_its_list_does_not_cut_the_childs(void **state) {
    const char *const two[] = {"OCL_ICD_FILENAMES=one.so:two.so", NULL};
    char output[256];
    (void)state;
    assert_int_equal(clg_test_run_self("cut list", two, output, sizeof output), 0);
    assert_string_equal(output, "one.so:two.so\n");
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_a_child_before_the_note),
        cmocka_unit_test(children_are_told_apart),
        cmocka_unit_test(a_loader_that_cuts_its_list_does_not_cut_the_childs),
    };
    if (argc > 1)
        return strcmp(argv[1], "cut list") == 0 ? cut_list() : show_list();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
