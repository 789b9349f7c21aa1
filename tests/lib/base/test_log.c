/* SPDX-License-Identifier: Apache-2.0
 * The log does not disturb the program: its descriptors, its signals, its life. Each case is a
 * forked child, because the environment is read once. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "support/cache.h"
#include "support/check.h"

/* A child exits with the line of the check that fails. */
#define CHECK(condition)            \
    do {                            \
        if (!(condition))           \
            return __LINE__ & 0x7f; \
    } while (0)

static void log_file(const struct clg_test_cache *cache, char out[CLG_TEST_PATH]) {
    clg_test_join(out, cache->scratch, "log");
    setenv("CLGEMM_VERBOSE", "1", 1);
    setenv("CLGEMM_LOGFILE", out, 1);
}

/* The file's size, or -1. */
static long long size_of(const char *path) {
    struct stat info;
    return stat(path, &info) ? -1 : (long long)info.st_size;
}

static const char line[] = "clgemm: a line\n";

/* ---- Descriptors ---- */

static int log_beside_closed_descriptors(const struct clg_test_cache *cache) {
    char log[CLG_TEST_PATH], data[CLG_TEST_PATH];
    log_file(cache, log);
    clg_test_join(data, cache->scratch, "data");
    clg_log(CLG_LOG_CALLS, "a line");
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    for (int i = 0; i < 4; i++)
        CHECK(open(data, O_WRONLY | O_CREAT, 0600) >= 0);
    clg_log(CLG_LOG_CALLS, "a line");
    CHECK(size_of(data) == 0);
    CHECK(size_of(log) == 2 * (long long)strlen(line));
    return 0;
}

/* No descriptor stays open. */
static int log_keeps_no_descriptor(const struct clg_test_cache *cache) {
    char log[CLG_TEST_PATH];
    log_file(cache, log);
    const int before = dup(STDERR_FILENO);
    close(before);
    clg_log(CLG_LOG_CALLS, "a line");
    CHECK(dup(STDERR_FILENO) == before);
    return 0;
}

/* A relative name refers to the first working folder. */
static int log_after_chdir(const struct clg_test_cache *cache) {
    char log[CLG_TEST_PATH];
    log_file(cache, log);
    setenv("CLGEMM_LOGFILE", "log", 1);
    CHECK(chdir(cache->scratch) == 0);
    clg_log(CLG_LOG_CALLS, "a line");
    CHECK(chdir("/") == 0);
    setenv("CLGEMM_LOGFILE", "/nowhere", 1);
    clg_log(CLG_LOG_CALLS, "a line");
    CHECK(size_of(log) == 2 * (long long)strlen(line));
    return 0;
}

static void descriptors_are_the_programs(void **state) {
    assert_int_equal(clg_test_fork(log_beside_closed_descriptors, *state), 0);
    assert_int_equal(clg_test_fork(log_keeps_no_descriptor, *state), 0);
}

static void relative_name_stays_where_it_was(void **state) {
    assert_int_equal(clg_test_fork(log_after_chdir, *state), 0);
}

/* ---- What could end or delay a writer ---- */

/* Logs a line; checks that the mask, pending signals and errno are unchanged. */
static int log_unnoticed(void) {
    sigset_t before, after, pending_before, pending_after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    sigpending(&pending_before);
    errno = ESRCH;
    clg_log(CLG_LOG_CALLS, "a line");
    CHECK(errno == ESRCH);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    sigpending(&pending_after);
    for (int s = 1; s < NSIG; s++) {
        CHECK(sigismember(&before, s) == sigismember(&after, s));
        CHECK(sigismember(&pending_before, s) == sigismember(&pending_after, s));
    }
    return 0;
}

static int log_to_closed_pipe(const struct clg_test_cache *cache) {
    (void)cache;
    int ends[2];
    setenv("CLGEMM_VERBOSE", "1", 1);
    unsetenv("CLGEMM_LOGFILE");
    signal(SIGPIPE, SIG_DFL);
    CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
    close(ends[0]);
    return log_unnoticed();
}

/* Signals that were pending still are. */
static int log_with_signal_pending(const struct clg_test_cache *cache) {
    sigset_t set, pending;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    signal(SIGPIPE, SIG_DFL);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGPIPE);
    const int code = log_to_closed_pipe(cache);
    sigpending(&pending);
    CHECK(sigismember(&pending, SIGPIPE) == 1);
    return code;
}

static int log_past_size_limit(const struct clg_test_cache *cache) {
    static const struct rlimit limit = {4, 4};
    char log[CLG_TEST_PATH];
    log_file(cache, log);
    signal(SIGXFSZ, SIG_DFL);
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    for (int i = 0; i < 2; i++) {
        const int code = log_unnoticed();
        if (code)
            return code;
    }
    return 0;
}

/* Hangs, and is ended by clg_test_fork's alarm, if it waits for a reader. */
static int log_to_fifo(const struct clg_test_cache *cache) {
    char log[CLG_TEST_PATH];
    log_file(cache, log);
    CHECK(mkfifo(log, 0600) == 0);
    close(STDERR_FILENO);
    alarm(20);
    int code = log_unnoticed();
    const int reader = open(log, O_RDONLY | O_NONBLOCK);
    char got[sizeof line] = "";
    for (int i = 0; i < 8000 && !code; i++) /* more than it can hold */
        code = log_unnoticed();
    CHECK(read(reader, got, sizeof got - 1) == sizeof got - 1 && strcmp(got, line) == 0);
    return code;
}

static void nothing_ends_the_program(void **state) {
    assert_int_equal(clg_test_fork(log_to_closed_pipe, *state), 0);
    assert_int_equal(clg_test_fork(log_with_signal_pending, *state), 0);
    assert_int_equal(clg_test_fork(log_past_size_limit, *state), 0);
}

static void nothing_holds_it_up(void **state) {
    assert_int_equal(clg_test_fork(log_to_fifo, *state), 0);
}

static void *log_cancelled(void *returned) {
    pthread_cancel(pthread_self());
    clg_log(CLG_LOG_CALLS, "a line");
    *(bool *)returned = true;
    return NULL;
}

static int log_in_cancelled_thread(const struct clg_test_cache *cache) {
    char log[CLG_TEST_PATH];
    bool returned = false;
    pthread_t thread;
    log_file(cache, log);
    CHECK(pthread_create(&thread, NULL, log_cancelled, &returned) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(returned);
    CHECK(size_of(log) == (long long)strlen(line));
    return 0;
}

static void no_thread_is_cancelled_there(void **state) {
    assert_int_equal(clg_test_fork(log_in_cancelled_thread, *state), 0);
}

/* ---- Levels ---- */

static int log_by_level(const struct clg_test_cache *cache) {
    char log[CLG_TEST_PATH];
    log_file(cache, log);
    setenv("CLGEMM_VERBOSE", "-1", 1);
    CHECK(!clg_log_on(CLG_LOG_CALLS));
    clg_log(CLG_LOG_CALLS, "not this");
    CHECK(size_of(log) == -1);
    clg_log(CLG_LOG_ALWAYS, "a line");
    CHECK(size_of(log) == (long long)strlen(line));
    return 0;
}

static void some_lines_always_come(void **state) {
    assert_int_equal(clg_test_fork(log_by_level, *state), 0);
}

#define TEST(name) \
    cmocka_unit_test_setup_teardown(name, clg_test_cache_setup, clg_test_cache_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(descriptors_are_the_programs), TEST(relative_name_stays_where_it_was),
        TEST(nothing_ends_the_program),     TEST(nothing_holds_it_up),
        TEST(no_thread_is_cancelled_there), TEST(some_lines_always_come),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
