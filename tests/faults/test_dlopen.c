/* SPDX-License-Identifier: Apache-2.0
 * The fault layer also reaches a process that opens the OpenCL loader at run time, as programs do
 * that are not linked with it. Linked with neither the loader nor the library. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include "steer.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef cl_int CL_API_CALL get_platforms_fn(cl_uint, cl_platform_id *, cl_uint *);
static get_platforms_fn *get_platforms;

static int open_loader(void **state) {
    (void)state;
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!loader)
        return -1;
    get_platforms = (get_platforms_fn *)dlsym(loader, "clGetPlatformIDs");
    return get_platforms ? 0 : -1;
}

static void calls_are_counted(void **state) {
    (void)state;
    cl_uint count = 0;
    steer.arm(0, 0);
    get_platforms(0, NULL, &count);
    assert_true(steer.calls() == 1);
    assert_true(steer.injected() == 0);
    get_platforms(0, NULL, &count);
    assert_true(steer.calls() == 2);
}

static void one_fault_passes(void **state) {
    (void)state;
    cl_uint count = 0;
    steer.arm(2, 0);
    assert_int_not_equal(get_platforms(0, NULL, &count), FAULT_CODE);
    assert_int_equal(get_platforms(0, NULL, &count), FAULT_CODE);
    assert_string_equal(steer.where(), "clGetPlatformIDs");
    assert_int_not_equal(get_platforms(0, NULL, &count), FAULT_CODE);
    assert_true(steer.injected() == 1);
}

static void sticky_faults_stay(void **state) {
    (void)state;
    cl_uint count = 0;
    steer.arm(2, 1);
    assert_int_not_equal(get_platforms(0, NULL, &count), FAULT_CODE);
    for (int i = 0; i < 3; i++)
        assert_int_equal(get_platforms(0, NULL, &count), FAULT_CODE);
    assert_true(steer.injected() == 3);
    steer.disarm();
    assert_int_not_equal(get_platforms(0, NULL, &count), FAULT_CODE);
}

int main(int argc, char **argv) {
    (void)argc;
    steer_setup(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_counted),
        cmocka_unit_test(one_fault_passes),
        cmocka_unit_test(sticky_faults_stay),
    };
    return cmocka_run_group_tests_name("fault layer", tests, open_loader, NULL);
}
