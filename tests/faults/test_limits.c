/* SPDX-License-Identifier: Apache-2.0
 * Calls where no file can be opened, no thread can be created, where the process's first
 * descriptors are closed, or its log is full. Each in its own process. The device is opened and the
 * programs are built before the limit is set, because runtimes may not survive it: PoCL 3.1 ends
 * the process if it cannot start a linker, or lacks memory (docs/limitations.md). test_starved
 * tests the library without memory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "api/handle.h"
#include "base/process.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/child.h"
#include "support/device.h"

/* ---- What the processes do ---------------------------------------------------------------- */

static clgemm_handle *open_copying(void) {
    clgemm_handle *handle = NULL;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    handle->host.access = CLG_HOST_COPY;
    clg_test_check_works(handle);
    return handle;
}

static struct rlimit set_limit(int what, rlim_t to) {
    struct rlimit before;
    assert_int_equal(getrlimit(what, &before), 0);
    assert_int_equal(setrlimit(what, &(struct rlimit){to, before.rlim_max}), 0);
    return before;
}

/* Only calls that name a file need one. */
static int no_files(void) {
    clgemm_handle *handle = open_copying();
    const int next = dup(STDERR_FILENO);
    close(next);
    const struct rlimit before = set_limit(RLIMIT_NOFILE, (rlim_t)next);
    assert_int_equal(open("/dev/null", O_RDONLY), -1);
    clg_test_check_works(handle);
    clg_test_assert_status(clgemm_tuning_import(handle, "/tmp/none.json"),
                           CLGEMM_STATUS_INVALID_TUNING);
    clg_test_assert_error_says("cannot be opened");
    clg_test_assert_status(clgemm_tuning_export(handle, "/tmp/none.json"),
                           CLGEMM_STATUS_INVALID_TUNING);
    clg_test_check_works(handle);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    clg_test_check_works(handle);
    clgemm_destroy(handle);
    return 0;
}

/* Copied by two threads if there are two processors. */
static void copy_in_panels(clgemm_handle *handle) {
    static const struct clg_test_problem problem = {.layout = CLGEMM_COL_MAJOR,
                                                    .ta = CLGEMM_NO_TRANS,
                                                    .tb = CLGEMM_NO_TRANS,
                                                    .m = 200,
                                                    .n = 600,
                                                    .k = 130,
                                                    .alpha = 0.5F,
                                                    .beta = 2};
    struct clg_test_random random = clg_test_random_start(7);
    struct clg_test_case test;
    clg_test_case_create(&test, &problem, &random);
    clg_test_case_run_and_check(&test, handle);
    clg_test_case_destroy(&test);
}

static void *nothing(void *user) {
    return user;
}

/* Root may have as many as it likes. */
static void forbid_threads(void) {
    pthread_t thread;
    assert_true(clg_test_become_nobody());
    set_limit(RLIMIT_NPROC, 0);
    if (pthread_create(&thread, NULL, nothing, NULL) == 0) /* a kernel that does not count */
        clg_test_end_child(CLG_TEST_SKIP);
}

/* Helpers and builders are threads of the library; calls work without them. */
static int no_threads(void) {
    clgemm_handle *handle = open_copying(), *unused = NULL;
    const clgemm_shape shape = {200, 600, 130, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS};
    clg_test_assert_success(clgemm_create(&unused, NULL));
    clg_test_assert_success(clgemm_warmup(handle, &shape, 1));
    clg_test_assert_success(
        clgemm_set_option(handle, CLGEMM_OPTION_BUILD, CLGEMM_BUILD_BACKGROUND));
    forbid_threads();
    copy_in_panels(handle);
    copy_in_panels(handle);
    clgemm_destroy(handle);
    clgemm_destroy(unused);
    return 0;
}

/* Room for A, whose few columns are far apart, but not for such matrices of a check. */
static int no_room(void) {
#if defined CLG_TEST_ASAN || defined CLG_TEST_TSAN
    return CLG_TEST_SKIP; /* they take terabytes */
#else
    enum { M = 9, N = 5, K = 7 };
    const int64_t lda = (1 << 29) / (K - 1) + 64;
    static float b[K * N], c[M * N];
    clgemm_handle *handle = NULL;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    clg_test_check_works(handle);
    if (handle->host.access != CLG_HOST_POINTER)
        return CLG_TEST_SKIP;
    float *a = mmap(NULL, (size_t)(K * lda) * sizeof *a, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(a != MAP_FAILED);
    for (int i = 0; i < M * K; i++)
        a[i / M * lda + i % M] = 1;
    for (int i = 0; i < K * N; i++)
        b[i] = 1;
    set_limit(RLIMIT_AS, clg_process_address_space() + (1 << 30));
    clg_test_assert_success(clgemm_handle_sgemm(handle, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS,
                                                CLGEMM_NO_TRANS, M, N, K, 1, a, lda, b, K, 0, c,
                                                M));
    for (int i = 0; i < M * N; i++)
        assert_true(c[i] == K);
    return 0;
#endif
}

/* Files that are opened get the numbers of stdin, stdout or stderr, where lines of the log must not
 * go. */
static int closed_descriptors(void) {
    for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++)
        close(descriptor);
    clg_test_check_works(NULL);
    clgemm_clear_cache();
    clg_test_check_works(NULL);
    return 0;
}

static int full_log(void) {
    clg_test_check_works(NULL);
    return clgemm_clear_cache() == CLGEMM_SUCCESS ? 0 : 1;
}

/* ---- The tests ---------------------------------------------------------------------------- */

static const struct role {
    const char *name;
    int (*run)(void);
} roles[] = {
    {"no files", no_files}, {"no threads", no_threads},
    {"no room", no_room},   {"closed descriptors", closed_descriptors},
    {"full log", full_log},
};

static void assert_runs(const char *role, const char *const *environment) {
    char output[4096];
    const int code = clg_test_run_self(role, environment, output, sizeof output);
    if (code == CLG_TEST_SKIP)
        skip();
    if (code != 0)
        print_error("%s: %d\n%s\n", role, code, output);
    assert_int_equal(code, 0);
}

static void without_files_calls_are_right(void **state) {
    (void)state;
    assert_runs("no files", NULL);
}

static void without_threads_calls_are_right(void **state) {
    (void)state;
    assert_runs("no threads", NULL);
}

static void without_room_for_a_check_calls_are_right(void **state) {
    (void)state;
    assert_runs("no room", NULL);
}

static void no_file_is_taken_for_a_closed_descriptor(void **state) {
    const struct clg_test_cache *cache = *state;
    static const char *const verbose[] = {"CLGEMM_VERBOSE=3", "CLGEMM_VERIFY", NULL};
    for (int run = 0; run < 2; run++) {
        assert_runs("closed descriptors", verbose);
        assert_true(clg_test_cache_tally(cache).entries > 0);
        assert_int_equal(clg_test_cache_bad(cache), 0);
    }
}

static void a_full_log_is_done_without(void **state) {
    static const char *const full[] = {"CLGEMM_VERBOSE=3", "CLGEMM_LOGFILE=/dev/full", NULL};
    (void)state;
    assert_runs("full log", full);
}

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof roles / sizeof *roles && argc > 1; i++)
        if (strcmp(argv[1], roles[i].name) == 0)
            clg_test_end_child(roles[i].run());
    clg_test_require_device();
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_files_calls_are_right),
        cmocka_unit_test(without_threads_calls_are_right),
        cmocka_unit_test(without_room_for_a_check_calls_are_right),
        cmocka_unit_test_setup_teardown(no_file_is_taken_for_a_closed_descriptor,
                                        clg_test_cache_setup, clg_test_cache_teardown),
        cmocka_unit_test(a_full_log_is_done_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
