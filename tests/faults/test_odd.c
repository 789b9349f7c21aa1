/* SPDX-License-Identifier: Apache-2.0
 * Drivers that answer unusually (layer.h): memory mapped to NULL, binaries refused in each possible
 * way, build logs that are cut, empty or unavailable. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include "steer.h"

#include <CL/cl.h>
#include <string.h>
#include <unistd.h>

#include "api/handle.h"
#include "program/programs.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/child.h"
#include "support/device.h"
#include "support/gemm.h"

/* Large enough for buffers in place, and small enough for a kernel that compiles fast. */
static const struct clg_test_problem problem = {.layout = CLGEMM_COL_MAJOR,
                                                .ta = CLGEMM_NO_TRANS,
                                                .tb = CLGEMM_NO_TRANS,
                                                .m = 40,
                                                .n = 30,
                                                .k = 20,
                                                .alpha = 1.5F,
                                                .beta = 0.5F};

/* One call on the handle with that access, whose result must be right. */
static clgemm_status compute(clgemm_handle *handle, enum clg_host_access access,
                             const struct clg_test_problem *p) {
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_test_case test;
    clg_test_case_create(&test, p, &random);
    if (handle)
        handle->host.access = access;
    const clgemm_status status = clg_test_case_run(&test, handle);
    if (!status)
        clg_test_assert_no_fault(clg_test_case_fault(&test));
    clg_test_case_destroy(&test);
    return status;
}

static clgemm_status multiply(clgemm_handle *handle, enum clg_host_access access) {
    return compute(handle, access, &problem);
}

static int set_up(void **state) {
    clgemm_handle *handle = NULL;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    *state = handle;
    return 0;
}

static int tear_down(void **state) {
    steer.be_odd(FAULT_NOT_ODD);
    steer.disarm();
    clgemm_destroy(*state);
    return 0;
}

/* No OpenCL object is left that `before` did not have. The handle is closed for that. */
static void assert_nothing_leaked(void **state, const long before[FAULT_KINDS]) {
    clgemm_destroy(*state);
    *state = NULL;
    const int apart = steer_settle(before);
    if (apart >= 0)
        fail_msg("%ld %s are left", steer.live((enum fault_kind)apart), steer_kind_name[apart]);
}

/* ---- Memory that is mapped to NULL ---- */

static void memory_that_cannot_be_shown_fails_the_call(void **state) {
    steer.be_odd(FAULT_MAP_OF_NULL);
    clg_test_assert_status(multiply(*state, CLG_HOST_BUFFER), CL_MAP_FAILURE);
    clg_test_assert_error_says("clEnqueueMapBuffer");
    assert_true(steer.be_odd(FAULT_NOT_ODD) > 0);
    clg_test_assert_success(multiply(*state, CLG_HOST_BUFFER));
}

static void a_pipeline_that_cannot_be_staged_is_done_without(void **state) {
    steer.be_odd(FAULT_MAP_OF_NULL);
    clg_test_assert_success(multiply(*state, CLG_HOST_COPY));
    assert_true(steer.be_odd(FAULT_NOT_ODD) > 0);
    clg_test_assert_success(multiply(*state, CLG_HOST_COPY));
}

/* ---- Binaries ---- */

static unsigned made(const clgemm_handle *handle, enum clg_origin origin) {
    return clg_programs_count(handle->engine.programs, origin);
}

/* The binaries of the first handle are in memory. */
static void refused_in_memory(void **state, enum fault_oddity oddity) {
    clgemm_handle *other = NULL;
    clg_test_assert_success(multiply(*state, CLG_HOST_BUFFER));
    clg_test_assert_success(clgemm_create(&other, NULL));
    steer.be_odd(oddity);
    const clgemm_status status = multiply(other, CLG_HOST_BUFFER);
    assert_true(steer.be_odd(FAULT_NOT_ODD) > 0);
    const unsigned loaded = made(other, CLG_FROM_MEMORY), built = made(other, CLG_FROM_SOURCE);
    clgemm_destroy(other);
    clg_test_assert_success(status);
    assert_true(loaded == 0 && built > 0);
}

static void a_binary_with_a_bad_status_is_built_anew(void **state) {
    refused_in_memory(state, FAULT_BINARY_STATUS);
}

static void a_binary_that_is_no_program_is_built_anew(void **state) {
    refused_in_memory(state, FAULT_BINARY_IS_NULL);
}

/* A process with the oddity loads nothing from disk; one after it loads everything. */
static void refused_from_disk(void **state) {
    struct clg_test_cache *cache = *state;
    assert_int_equal(clg_test_run_self("fill", NULL, NULL, 0), 0);
    const struct clg_test_tally filled = clg_test_cache_tally(cache);
    assert_true(filled.entries > 0);
    assert_int_equal(clg_test_run_self("refuse status", NULL, NULL, 0), 0);
    assert_int_equal(clg_test_run_self("refuse null", NULL, NULL, 0), 0);
    assert_int_equal(clg_test_cache_tally(cache).entries, filled.entries);
    assert_int_equal(clg_test_cache_bad(cache), 0);
    assert_int_equal(clg_test_run_self("load", NULL, NULL, 0), 0);
}

static int play(const char *role) {
    clgemm_handle *handle = NULL;
    const bool refuses = !strncmp(role, "refuse", 6), loads = !strcmp(role, "load");
    clg_test_assert_success(clgemm_create(&handle, NULL));
    if (refuses)
        steer.be_odd(strstr(role, "null") ? FAULT_BINARY_IS_NULL : FAULT_BINARY_STATUS);
    clg_test_assert_success(multiply(handle, CLG_HOST_BUFFER));
    const bool odd = steer.be_odd(FAULT_NOT_ODD) > 0;
    const unsigned built = made(handle, CLG_FROM_SOURCE), loaded = made(handle, CLG_FROM_DISK);
    clgemm_destroy(handle);
    return odd == refuses && (loads ? loaded > 0 && built == 0 : loaded == 0 && built > 0) ? 0 : 1;
}

/* ---- Build logs ---- */

/* No program can be built or loaded. */
static void fail_the_build(void **state, enum fault_oddity oddity, const char *says) {
    long before[FAULT_KINDS];
    clgemm_destroy(*state);
    steer_settle((const long[FAULT_KINDS]){0});
    steer_counts(before);
    clg_test_assert_success(clgemm_create((clgemm_handle **)state, NULL));
    steer.be_odd(oddity);
    clg_test_assert_status(multiply(*state, CLG_HOST_BUFFER), CL_BUILD_PROGRAM_FAILURE);
    assert_true(steer.be_odd(FAULT_NOT_ODD) > 0);
    clg_test_assert_error_says("building ");
    clg_test_assert_error_says(says);
    clg_test_assert_success(multiply(*state, CLG_HOST_BUFFER));
    assert_nothing_leaked(state, before);
}

static void an_empty_log(void **state) {
    fail_the_build(state, FAULT_LOG_IS_EMPTY, "left no log");
}

static void a_log_that_is_cut(void **state) {
    fail_the_build(state, FAULT_LOG_IS_CUT, "cut off in the midd");
}

static void a_log_of_impossible_size(void **state) {
    fail_the_build(state, FAULT_LOG_IS_HUGE, "left no log");
}

static void a_log_that_is_refused(void **state) {
    fail_the_build(state, FAULT_LOG_IS_REFUSED, "left no log");
}

/* It is tried and reported once, and calls stay with what is there. */
static void a_build_that_fails_in_the_background(void **state) {
    clgemm_handle *handle = *state;
    struct clg_test_problem large = problem;
    large.m = large.n = large.k = 300;
    clg_test_assert_success(
        clgemm_set_option(handle, CLGEMM_OPTION_BUILD, CLGEMM_BUILD_BACKGROUND));
    steer.be_odd(FAULT_LOG_IS_CUT);
    for (int call = 0; call < 3; call++) {
        clg_test_assert_success(compute(handle, CLG_HOST_BUFFER, &large));
        clg_builder_wait(handle->engine.builder);
        assert_int_equal(steer.be_odd(FAULT_LOG_IS_CUT) > 0, call == 0);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(int argc, char **argv) {
    steer_setup(argv);
    if (argc == 2 && !strcmp(argv[1], "device")) {
        clg_test_require_device();
        clg_test_end_child(0);
    }
    if (argc == 2)
        clg_test_end_child(play(argv[1]));
    if (clg_test_run_self("device", NULL, NULL, 0) == CLG_TEST_SKIP)
        return CLG_TEST_SKIP;
    /* Without a cache no binary is kept that could be refused. */
    void *cache = NULL;
    clg_test_cache_setup(&cache);
    const struct CMUnitTest tests[] = {
        /* First, as it also counts programs of other tests, which would be refused from memory. */
        TEST(a_build_that_fails_in_the_background),
        cmocka_unit_test_setup_teardown(refused_from_disk, clg_test_cache_setup,
                                        clg_test_cache_teardown),
        TEST(memory_that_cannot_be_shown_fails_the_call),
        TEST(a_pipeline_that_cannot_be_staged_is_done_without),
        TEST(a_binary_with_a_bad_status_is_built_anew),
        TEST(a_binary_that_is_no_program_is_built_anew),
        TEST(an_empty_log),
        TEST(a_log_that_is_cut),
        TEST(a_log_of_impossible_size),
        TEST(a_log_that_is_refused),
    };
    const int failed = cmocka_run_group_tests_name("odd", tests, NULL, NULL);
    clg_test_cache_teardown(&cache);
    return failed;
}
