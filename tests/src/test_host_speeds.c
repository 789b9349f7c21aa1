/* SPDX-License-Identifier: Apache-2.0
 * The measured speeds of host and bus: numbers that a file may hold, and all resources are
 * released. Plans made with other speeds are forgotten. */
#include "src/tuner/host_speeds.h"

#include "base/thread.h"
#include "device/staging.h"
#include "support/check.h"
#include "support/host_access.h"

static void speeds_are_numbers(void **state) {
    struct clg_device *device = clg_test_host.engine.device;
    struct clg_host_speeds speeds = {0};
    (void)state;
    clg_test_assert_success(clg_host_speeds_measure(device, &speeds));
#define IN_RANGE(name) assert_in_range(speeds.name, 1, 1000000000);
    CLG_HOST_SPEEDS(IN_RANGE)
#undef IN_RANGE
    assert_in_range(speeds.threads, 1, clg_thread_processors());
    assert_true(device->lent == 0);
    assert_int_equal(device->num_staging, device->staging_held);
}

static void without_memory_it_says_so(void **state) {
    struct clg_device *device = clg_test_host.engine.device;
    const int held = device->staging_held, idle = device->num_staging;
    struct clg_host_speeds speeds = {0};
    (void)state;
    device->num_staging = 0; /* as if calls used them all */
    device->staging_held = CLG_STAGING_MOST;
    clg_test_assert_status(clg_host_speeds_measure(device, &speeds), CLGEMM_STATUS_OUT_OF_MEMORY);
    assert_int_equal(speeds.up_mb_s, 0);
    device->num_staging = idle;
    device->staging_held = held;
}

static void plans_are_forgotten_with_their_table(void **state) {
    struct clg_engine *engine = &clg_test_host.engine;
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_test_problem p = clg_test_small_problem();
    struct clg_test_case test;
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        const uint64_t made = clg_test_host.host.pipes.missed;
        for (int call = 0; call < 3; call++) {
            clg_test_case_create(&test, &p, &random);
            clg_test_assert_success(clg_test_case_run_by(CLG_HOST_COPY, &test));
            clg_test_assert_no_fault(clg_test_case_fault(&test));
            clg_test_case_destroy(&test);
        }
        assert_true(clg_test_host.host.pipes.missed == made + 1);
        assert_true(clg_engine_retune(engine, engine->tuning, clg_tuning_new()));
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(speeds_are_numbers),
        cmocka_unit_test(without_memory_it_says_so),
        cmocka_unit_test(plans_are_forgotten_with_their_table),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, clg_test_host_setup, clg_test_host_teardown);
}
