/* SPDX-License-Identifier: Apache-2.0
 * Programs of a device: built once, also for many threads at once; binaries shared by contexts;
 * failures that leave the table usable. */
#include <pthread.h>
#include <stdlib.h>

#include "program/disk.h"
#include "program/programs.h"
#include "support/check.h"

enum { THREADS = 6 };

static struct clg_binaries *store;

/* A test's own; they outlive its programs. */
static struct clg_device *opened[2];
static int num_opened;

static struct clg_programs *open_programs(void) {
    struct clg_device *device = NULL;
    struct clg_programs *programs = NULL;
    clg_test_assert_success(clg_device_open(&device, getenv("CLGEMM_DEVICE")));
    opened[num_opened++] = device;
    clg_test_assert_success(clg_programs_open(&programs, device, store));
    return programs;
}

static int close_devices(void **state) {
    (void)state;
    while (num_opened > 0)
        clg_device_close(opened[--num_opened]);
    return 0;
}

static void *get_scale(void *programs) {
    struct clg_program *program = NULL;
    return clg_programs_get(programs, "scale", "", NULL, &program) ? NULL : program;
}

static void threads_share_one_build(void **state) {
    (void)state;
    struct clg_programs *programs = open_programs();
    pthread_t threads[THREADS];
    void *got[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, get_scale, programs), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], &got[i]);
    for (int i = 0; i < THREADS; i++) {
        assert_non_null(got[i]);
        assert_ptr_equal(got[i], got[0]);
    }
    assert_int_equal(clg_programs_count(programs, CLG_FROM_SOURCE), 1);
    clg_programs_close(programs);
}

/* Except with runtimes whose binary costs another compilation, which only pays for the disk. */
static void another_context_loads_the_binary(void **state) {
    (void)state;
    assert_false(clg_disk_is_on());
    struct clg_programs *first = open_programs(), *second = open_programs();
    struct clg_program *program = NULL;
    const int loaded = !clg_compiles_at_launch(opened[1]);
    clg_test_assert_success(clg_programs_get(first, "pack", "-DALONG_K=0", NULL, &program));
    assert_int_equal(clg_programs_count(first, CLG_FROM_SOURCE), 1);
    clg_programs_close(first);
    clg_test_assert_success(clg_programs_get(second, "pack", "-DALONG_K=0", NULL, &program));
    assert_int_equal(clg_programs_count(second, CLG_FROM_SOURCE), !loaded);
    assert_int_equal(clg_programs_count(second, CLG_FROM_MEMORY), loaded);
    struct clg_kernel kernel;
    clg_test_assert_success(clg_kernel_take(program, &kernel));
    clg_kernel_give(program, &kernel);
    clg_programs_close(second);
}

static void lent_kernels_are_not_shared(void **state) {
    (void)state;
    struct clg_programs *programs = open_programs();
    struct clg_program *program = NULL;
    struct clg_kernel one, two, again;
    clg_test_assert_success(clg_programs_get(programs, "scale", "", NULL, &program));
    clg_test_assert_success(clg_kernel_take(program, &one));
    clg_test_assert_success(clg_kernel_take(program, &two));
    assert_ptr_not_equal(one.object, two.object);
    assert_int_equal(one.known, 0);
    one.known = 4;
    one.plain[2] = 1234;
    clg_kernel_give(program, &one);
    clg_test_assert_success(clg_kernel_take(program, &again));
    assert_ptr_equal(again.object, one.object);
    assert_int_equal(again.known, 4); /* it keeps its setting */
    assert_int_equal(again.plain[2], 1234);
    clg_kernel_give(program, &again);
    clg_kernel_give(program, &two);
    clg_programs_close(programs);
}

static void a_failed_build_says_why_and_is_tried_again(void **state) {
    (void)state;
    struct clg_programs *programs = open_programs();
    struct clg_program *program = NULL;
    assert_int_not_equal(clg_programs_get(programs, "nonsense", "", NULL, &program),
                         CLGEMM_SUCCESS);
    clg_test_assert_error_says("nonsense");
    for (int i = 0; i < 2; i++) {
        assert_int_not_equal(
            clg_programs_get(programs, "direct", "-DTILE_M=no_such", NULL, &program),
            CLGEMM_SUCCESS);
        clg_test_assert_error_says("building direct failed");
        assert_null(program);
    }
    clg_test_assert_success(clg_programs_get(programs, "scale", "", NULL, &program));
    clg_programs_close(programs);
}

static int open_store(void **state) {
    (void)state;
    store = clg_binaries_new();
    return store ? 0 : -1;
}

static int close_store(void **state) {
    (void)state;
    clg_binaries_free(store);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(threads_share_one_build, close_devices),
        cmocka_unit_test_teardown(another_context_loads_the_binary, close_devices),
        cmocka_unit_test_teardown(lent_kernels_are_not_shared, close_devices),
        cmocka_unit_test_teardown(a_failed_build_says_why_and_is_tried_again, close_devices),
    };
    struct clg_device *device = NULL;
    if (clg_device_open(&device, getenv("CLGEMM_DEVICE")))
        return CLG_TEST_SKIP;
    clg_device_close(device);
    return cmocka_run_group_tests(tests, open_store, close_store);
}
