/* SPDX-License-Identifier: Apache-2.0
 * Devices of a handle of several are lost at a call of OpenCL: one of them, or all. The call must
 * say so or be right, later calls go on with those that are left, and nothing leaks.
 * CLGEMM_TEST_LONG tries every call, otherwise a run draws some. */
#include <stdlib.h>

#include "api/handle.h"
#include "steer.h"
#include "support/check.h"
#include "support/host_access.h"
#include "support/random.h"

enum { PARTS = 16 };

static clgemm_handle *open_handle(void) {
    clgemm_handle *handle;
    uint32_t clock = 4;
    clg_test_assert_success(clgemm_create(&handle, "cpu:*"));
    for (clgemm_handle *each = handle; each; each = each->next) {
        each->host.access = CLG_HOST_COPY;
        each->engine.device->facts.kind = CLG_DEVICE_GPU; /* so slow that they share calls */
        each->engine.device->facts.clock_mhz = clock--;
    }
    return handle;
}

static clgemm_status multiply(clgemm_handle *handle, bool *right) {
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_test_problem p = clg_test_pipe_problem(300, 500, 60, 0);
    struct clg_test_case test;
    p.type = CLGEMM_F32;
    clg_test_case_create(&test, &p, &random);
    const clgemm_status status = clg_test_case_run(&test, handle);
    *right = !clg_test_case_fault(&test);
    clg_test_case_destroy(&test);
    return status;
}

/* Returns whether a call was lost. */
static bool lose_at(long n, bool all, int *reported) {
    static const int codes[] = {CL_DEVICE_NOT_AVAILABLE, CL_INVALID_COMMAND_QUEUE,
                                CL_INVALID_CONTEXT, -9999};
    clgemm_handle *handle = open_handle();
    bool right;
    steer.report(codes[n % 4]);
    steer.arm(n, all);
    clgemm_status status = multiply(handle, &right);
    const bool injected = steer.injected() > 0;
    assert_true(status ? injected : right);
    if (status) {
        assert_int_equal(status, CLGEMM_STATUS_DEVICE_LOST);
        assert_true(clgemm_last_error()[0]);
        ++*reported;
    }
    if (all && status) /* with all of them lost it still ends */
        assert_int_equal(multiply(handle, &right), CLGEMM_STATUS_DEVICE_LOST);
    steer.disarm();
    status = multiply(handle, &right);
    if (!all)
        clg_test_assert_success(status);
    assert_true(status == CLGEMM_STATUS_DEVICE_LOST || (!status && right));
    clgemm_destroy(handle);
    return injected;
}

static void walk(bool all) {
    const long parts = clg_test_is_long() ? 1 : PARTS;
    long held[FAULT_KINDS], n = 1 + (parts > 1 ? clg_test_draw(PARTS) : 0);
    bool right;
    int reported = 0;
    clgemm_handle *handle = open_handle();
    clg_test_assert_success(multiply(handle, &right)); /* makes what is kept */
    clgemm_destroy(handle);
    clgemm_clear_cache();
    steer_counts(held);
    while (lose_at(n, all, &reported)) {
        clgemm_clear_cache();
        const int leaked = steer_settle(held);
        if (leaked >= 0)
            fail_msg("call %ld leaks a %s", n, steer_kind_name[leaked]);
        n += parts;
    }
    print_message("%ld calls, %d failures reported\n", n, reported);
    assert_true(reported > 0);
}

static void one_is_lost(void **state) {
    (void)state;
    walk(false);
}

static void all_are_lost(void **state) {
    (void)state;
    walk(true);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_is_lost),
        cmocka_unit_test(all_are_lost),
    };
    clgemm_handle *handle;
    (void)argc;
    setenv("POCL_DEVICES", "pthread pthread", 1);
    steer_setup(argv);
    clg_test_require_device();
    if (clgemm_create(&handle, "cpu:*"))
        return CLG_TEST_SKIP;
    const bool several = handle->next;
    clgemm_destroy(handle);
    return several ? cmocka_run_group_tests(tests, NULL, NULL) : CLG_TEST_SKIP;
}
