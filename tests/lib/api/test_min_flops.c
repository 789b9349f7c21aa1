/* SPDX-License-Identifier: Apache-2.0
 * clgemm_min_flops(): an imported value counts, is exported and forgotten. With a device that
 * cannot be used no call pays. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handle.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/child.h"
#include "support/device.h"
#include "support/tuning_places.h"
#include "tuning/break_even.h"

static struct clg_break_even measured(clgemm_type type, int64_t flops) {
    struct clg_break_even break_even = {.type = type, .flops = flops, .against = "a BLAS"};
    clg_tuning_stamp(break_even.date, break_even.version);
    return break_even;
}

/* Each type has its own value. clgemm_min_flops() is F32's. */
static void check_type(const struct clg_test_cache *cache, clgemm_handle *handle,
                       clgemm_type type) {
    const struct clg_break_even first = measured(type, 12345), second = measured(type, 54321);
    const clgemm_type other = type == CLGEMM_F32 ? CLGEMM_F64 : CLGEMM_F32;
    char one[CLG_TEST_PATH], two[CLG_TEST_PATH];
    clg_test_join(one, cache->scratch, type == CLGEMM_F32 ? "one.json" : "one_f64.json");
    clg_test_join(two, cache->scratch, type == CLGEMM_F32 ? "two.json" : "two_f64.json");
    const struct clg_facts *facts = &handle->engine.device->facts;
    const int64_t guess = clg_break_even_flops(NULL, type, facts);
    const int64_t guess_of_other = clg_break_even_flops(NULL, other, facts);
    assert_int_equal(clgemm_min_flops_of(handle, type), guess);
    clg_test_assert_success(clg_test_write_break_even(one, facts, &first, NULL, 0));
    clg_test_assert_success(clg_test_write_break_even(two, facts, &second, NULL, 0));
    clg_test_assert_success(clgemm_tuning_import(handle, one));
    assert_int_equal(clgemm_min_flops_of(handle, type), 12345);
    assert_int_equal(clgemm_min_flops_of(handle, other), guess_of_other);
    clg_test_assert_success(clgemm_tuning_export(handle, two));
    clg_test_assert_success(clgemm_tuning_forget(handle));
    assert_int_equal(clgemm_min_flops_of(handle, type), guess);
    clg_test_assert_success(clgemm_tuning_import(handle, two));
    assert_int_equal(clgemm_min_flops_of(handle, type), 12345);
    assert_int_equal(clgemm_min_flops(handle), type == CLGEMM_F32 ? 12345 : guess_of_other);
    clg_test_assert_success(clgemm_tuning_import(NULL, two));
    assert_int_equal(clgemm_min_flops_of(NULL, type), 12345);
    clg_test_assert_success(clgemm_clear_cache());
    clg_test_assert_success(clgemm_tuning_forget(handle));
}

static void measured_imported_exported_forgotten(void **state) {
    clgemm_handle *handle;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    check_type(*state, handle, CLGEMM_F32);
    if (!clg_type_unsupported_reason(CLGEMM_F64, &handle->engine.device->facts))
        check_type(*state, handle, CLGEMM_F64);
    clgemm_destroy(handle);
}

static void a_measurement_of_another_driver_is_not_exported(void **state) {
    const struct clg_test_cache *cache = *state;
    const struct clg_break_even other = measured(CLGEMM_F32, 12345);
    clgemm_handle *handle;
    char file[CLG_TEST_PATH];
    clg_test_join(file, cache->scratch, "one.json");
    clg_test_assert_success(clgemm_create(&handle, NULL));
    struct clg_facts facts = handle->engine.device->facts;
    const int64_t guess = clg_break_even_flops(NULL, CLGEMM_F32, &facts);
    facts.driver[0] ^= 1;
    clg_test_assert_success(clg_test_write_break_even(file, &facts, &other, NULL, 0));
    clg_test_assert_success(clgemm_tuning_import(handle, file));
    assert_int_equal(clgemm_min_flops(handle), 12345);
    clg_test_join(file, cache->scratch, "two.json");
    clg_test_assert_success(clgemm_tuning_export(handle, file));
    clg_test_assert_success(clgemm_tuning_forget(handle));
    assert_int_equal(clgemm_tuning_import(handle, file), CLGEMM_STATUS_INVALID_TUNING);
    assert_int_equal(clgemm_min_flops(handle), guess);
    clgemm_destroy(handle);
}

static void devices_share_memory_or_not(void **state) {
    clgemm_handle *handle;
    (void)state;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    const struct clg_facts *facts = &handle->engine.device->facts;
    assert_int_equal(clgemm_shares_memory(handle), facts->shares_host_memory);
    assert_int_equal(clgemm_shares_memory(NULL), facts->shares_host_memory);
    handle->engine.device->facts.shares_host_memory ^= true;
    assert_int_equal(clgemm_shares_memory(handle), facts->shares_host_memory);
    clgemm_destroy(handle);
    clg_test_assert_success(clgemm_clear_cache());
}

static void types_that_do_not_exist_pay_nowhere(void **state) {
    static const int types[] = {-1, CLG_TYPE_COUNT, 100000, INT_MIN, INT_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        assert_true(clgemm_min_flops_of(NULL, (clgemm_type)types[i]) == INT64_MAX);
        clg_test_assert_error_says("is not a clgemm_type");
    }
}

static void no_device_pays_nowhere(void **state) {
    const char *device = getenv("CLGEMM_DEVICE");
    char *before = device ? strdup(device) : NULL;
    (void)state;
    setenv("CLGEMM_DEVICE", "no such device", 1);
    assert_true(clgemm_min_flops(NULL) == INT64_MAX);
    clg_test_assert_error_says("no such device");
    assert_int_equal(clgemm_shares_memory(NULL), 0);
    clg_test_assert_error_says("no such device");
    if (before)
        setenv("CLGEMM_DEVICE", before, 1);
    else
        unsetenv("CLGEMM_DEVICE");
    free(before);
}

static void nowhere_after_fork(void **state) {
    clgemm_handle *handle;
    (void)state;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    const int child = fork();
    if (child == 0)
        _exit(clgemm_min_flops(handle) == INT64_MAX && clgemm_min_flops(NULL) == INT64_MAX ? 0 : 1);
    assert_int_equal(clg_test_wait_for(child), 0);
    clgemm_destroy(handle);
}

int main(void) {
    clg_test_require_device();
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(measured_imported_exported_forgotten, clg_test_cache_setup,
                                        clg_test_cache_teardown),
        cmocka_unit_test_setup_teardown(a_measurement_of_another_driver_is_not_exported,
                                        clg_test_cache_setup, clg_test_cache_teardown),
        cmocka_unit_test(devices_share_memory_or_not),
        cmocka_unit_test(types_that_do_not_exist_pay_nowhere),
        cmocka_unit_test(no_device_pays_nowhere),
        cmocka_unit_test(nowhere_after_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
