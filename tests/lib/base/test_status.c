/* SPDX-License-Identifier: Apache-2.0
 * The last error: texts of any length, one for each thread, and the memory they need. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/status.h"
#include "support/check.h"
#include "support/child.h"

static char letters[2 * CLG_LAST_ERROR_SIZE];

/* A text with this many letters. */
static const char *text_of(size_t length) {
    memset(letters, 'x', length);
    letters[length] = '\0';
    return letters;
}

static bool holds(size_t length) {
    const char *text = clg_last_error();
    return strlen(text) == length && strspn(text, "x") == length;
}

static void texts_of_any_length(void **state) {
    (void)state;
    static const size_t lengths[] = {0, 1, 254, 255, 256, 257, CLG_LAST_ERROR_SIZE - 1, 3, 300, 0};
    static char copy[CLG_LAST_ERROR_SIZE];
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        assert_int_equal(clg_fail(CLGEMM_STATUS_INVALID_M, "%s", text_of(lengths[i])),
                         CLGEMM_STATUS_INVALID_M);
        assert_true(holds(lengths[i]));
        clg_copy_last_error(copy, sizeof copy);
        assert_string_equal(copy, clg_last_error());
    }
    for (size_t more = 0; more < 3; more++) {
        clg_fail(CLGEMM_STATUS_INVALID_M, "%s", text_of(CLG_LAST_ERROR_SIZE + more));
        assert_true(holds(CLG_LAST_ERROR_SIZE - 1));
    }
}

/* ---- Threads ---- */

static void *fail_at_length(void *user) {
    const size_t length = *(const size_t *)user;
    if (*clg_last_error())
        return "not empty at first";
    static char text[CLG_LAST_ERROR_SIZE];
    memset(text, 'y', length);
    clg_fail(CLGEMM_STATUS_INVALID_N, "%s", text);
    return strspn(clg_last_error(), "y") == length ? NULL : "not the thread's own";
}

/* Threads free what they allocated: a leak checker would report it. */
static void a_text_for_each_thread(void **state) {
    (void)state;
    static const size_t lengths[] = {10, 1000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        clg_fail(CLGEMM_STATUS_INVALID_M, "%s", text_of(lengths[i]));
        pthread_t thread;
        void *complaint = "";
        assert_int_equal(
            pthread_create(&thread, NULL, fail_at_length, (void *)(uintptr_t)&lengths[i]), 0);
        assert_int_equal(pthread_join(thread, &complaint), 0);
        assert_null(complaint);
        assert_true(holds(lengths[i]));
    }
}

/* A text in a destructor that runs after the library's. */
static void *fail_late(void *user) {
    clg_fail(CLGEMM_STATUS_INVALID_N, "%0500d", 1);
    static const char once = 0;
    pthread_setspecific(*(const pthread_key_t *)user, &once);
    return NULL;
}

static void fail_in_destructor(void *value) {
    (void)value;
    clg_fail(CLGEMM_STATUS_INVALID_N, "%0500d", 2);
}

static void texts_while_a_thread_ends(void **state) {
    (void)state;
    pthread_key_t late;
    pthread_t thread;
    assert_int_equal(pthread_key_create(&late, fail_in_destructor), 0);
    assert_int_equal(pthread_create(&thread, NULL, fail_late, &late), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_key_delete(late), 0);
}

static void *nothing(void *user) {
    return user;
}

/* The library's thread-local variables are on every stack of the program. */
static void threads_with_the_smallest_stack(void **state) {
    (void)state;
#ifdef CLG_TEST_ASAN
    skip(); /* its own variables fill the stack */
#endif
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN), 0);
    assert_int_equal(pthread_create(&thread, &attributes, nothing, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}

/* ---- Memory ---- */

/* 0 if there is a long text, cut because no memory is left. */
static int fail_without_memory(void) {
    const struct rlimit none = {1, 1};
    void *volatile block; /* or a compiler removes what nobody uses */
    if (setrlimit(RLIMIT_AS, &none))
        return 1;
    for (size_t size = (size_t)1 << 20; size >= 16; size /= 2)
        do
            block = malloc(size); /* for good */
        while (block);
    clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "%s", text_of(1000));
    const bool cut = holds(255);
    clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "%s", text_of(10));
    return cut && holds(10) ? 0 : 2;
}

static void without_memory_it_is_cut(void **state) {
    (void)state;
#if defined(CLG_TEST_ASAN) || defined(CLG_TEST_TSAN)
    skip(); /* it exits when memory is short */
#endif
    const pid_t child = fork();
    if (child == 0)
        _exit(fail_without_memory());
    assert_int_equal(clg_test_wait_for(child), 0);
}

static void *fail_second(void *failure) {
    assert_true(clg_failure_note(failure, clg_fail(CLGEMM_STATUS_INVALID_N, "the second")));
    return NULL;
}

static void the_first_failure_of_threads_stays(void **state) {
    struct clg_failure failure = {0};
    pthread_t thread;
    (void)state;
    assert_false(clg_failure_note(&failure, CLGEMM_SUCCESS));
    assert_false(clg_failure_is_noted(&failure));
    assert_true(clg_failure_note(&failure, clg_fail(CLGEMM_STATUS_INVALID_M, "the first")));
    assert_true(clg_failure_is_noted(&failure));
    assert_int_equal(pthread_create(&thread, NULL, fail_second, &failure), 0);
    pthread_join(thread, NULL);
    clg_fail(CLGEMM_STATUS_INVALID_K, "the last");
    assert_int_equal(clg_failure_end(&failure), CLGEMM_STATUS_INVALID_M);
    assert_string_equal(clg_last_error(), "the first");
    assert_int_equal(clg_failure_end(&failure), CLGEMM_SUCCESS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        /* First: the process has not yet failed with a long text. */
        cmocka_unit_test(without_memory_it_is_cut),
        cmocka_unit_test(texts_of_any_length),
        cmocka_unit_test(a_text_for_each_thread),
        cmocka_unit_test(texts_while_a_thread_ends),
        cmocka_unit_test(threads_with_the_smallest_stack),
        cmocka_unit_test(the_first_failure_of_threads_stays),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
