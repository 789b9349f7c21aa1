/* SPDX-License-Identifier: Apache-2.0
 * Choosing devices, and the lifetime of handles. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/child.h"
#include "support/device.h"
#include "support/gemm.h"

/* ---- Choosing a device ---- */

static void check_opens(const char *device) {
    clgemm_handle *handle = NULL;
    clg_test_assert_success(clgemm_create(&handle, device));
    assert_non_null(handle);
    clg_test_check_works(handle);
    clgemm_destroy(handle);
}

/* The name of the device under test, as OpenCL reports it. */
static void device_name(char *out, size_t size) {
    struct clg_test_cl cl;
    clg_test_cl_open(&cl, 0);
    assert_int_equal(clGetDeviceInfo(cl.device, CL_DEVICE_NAME, size, out, NULL), CL_SUCCESS);
    clg_test_cl_close(&cl);
}

static void devices_by_request(void **state) {
    (void)state;
    struct clg_test_cl cl;
    cl_device_type type;
    char name[256], *part = name;
    clg_test_cl_open(&cl, 0);
    clGetDeviceInfo(cl.device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clg_test_cl_close(&cl);
    device_name(name, sizeof name);
    check_opens(NULL);
    check_opens("0:0");
    if (type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU))
        check_opens(type & CL_DEVICE_TYPE_CPU ? "cpu" : "gpu");
    check_opens(name);
    if (strlen(name) > 6)
        part = name + 2; /* from its middle */
    for (char *c = part; *c; c++)
        *c = (char)((c - part) % 2 ? toupper(*c) : tolower(*c));
    check_opens(part);
}

static void no_such_device(void **state) {
    (void)state;
    static const char *const requests[] = {"no such device", "999:0", "0:999",
                                           "0:0x",           "-1:0",  "18446744073709551616:0"};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        clgemm_handle *handle = (clgemm_handle *)(void *)state;
        clg_test_assert_status(clgemm_create(&handle, requests[i]), CLGEMM_STATUS_NO_DEVICE);
        clg_test_assert_error_says(requests[i]);
        assert_null(handle);
    }
    clg_test_check_works(NULL);
}

/* Child: one call, whose status is printed on stdout. */
static int make_one_call(void) {
    float a = 2, b = 3, c = 0;
    clgemm_status status = clgemm_sgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1,
                                        1, &a, 1, &b, 1, 0, &c, 1);
    printf("%s: %s\n", clgemm_status_name(status), status ? clgemm_last_error() : "");
    return status == CLGEMM_SUCCESS && c == 6 ? 0 : status == CLGEMM_STATUS_NO_DEVICE ? 2 : 1;
}

static void assert_contains(const char *text, const char *part) {
    if (!strstr(text, part))
        print_error("\"%s\" is not in: %s", part, text);
    assert_non_null(strstr(text, part));
}

static void environment_chooses_the_device(void **state) {
    (void)state;
    char output[4096], setting[300];
    const char *environment[] = {"CLGEMM_DEVICE=no such thing", NULL};
    assert_int_equal(clg_test_run_self("one-call", environment, output, sizeof output), 2);
    assert_contains(output, "CLGEMM_STATUS_NO_DEVICE");
    assert_contains(output, "no such thing");
    environment[0] = setting;
    strcpy(setting, "CLGEMM_DEVICE=");
    assert_int_equal(clg_test_run_self("one-call", environment, output, sizeof output), 0);
    device_name(setting + strlen(setting), 256);
    assert_int_equal(clg_test_run_self("one-call", environment, output, sizeof output), 0);
}

/* The ICD loader is pointed to a folder without a vendor. CUDA's may still look elsewhere. */
static void without_a_platform_the_text_says_what_to_install(void **state) {
    (void)state;
    char folder[] = "/tmp/clgemm-test-icd-XXXXXX", setting[80], output[4096];
    const char *const environment[] = {setting, "OCL_ICD_FILENAMES", "CLGEMM_DEVICE", NULL};
    assert_non_null(mkdtemp(folder));
    snprintf(setting, sizeof setting, "OCL_ICD_VENDORS=%s", folder);
    int status = clg_test_run_self("one-call", environment, output, sizeof output);
    rmdir(folder);
    if (status == 0) {
        print_message("skipped: the OpenCL loader does not read OCL_ICD_VENDORS\n");
        skip();
    }
    assert_int_equal(status, 2);
    assert_contains(output, "CLGEMM_STATUS_NO_DEVICE");
    assert_contains(output, "nstall");
}

/* ---- Handles ---- */

static void handle_on_the_callers_context(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(2);
    struct clg_test_problem problem = clg_test_small_problem();
    struct clg_test_case test;
    struct clg_test_cl cl;
    clgemm_handle *handle;
    clg_test_cl_open(&cl, 0);
    clg_test_assert_success(clgemm_create_cl(&handle, cl.context, cl.device));
    clg_test_case_create(&test, &problem, &random);
    clg_test_case_run_and_check_cl(&cl, &test, handle);
    clg_test_case_destroy(&test);
    clg_test_check_works(handle); /* host matrices, on the same device */
    clg_test_cl_close(&cl);
    clg_test_check_works(handle); /* it has retained what it needs */
    clgemm_destroy(handle);
}

static void handles_come_and_go(void **state) {
    (void)state;
    clgemm_handle *kept;
    clg_test_assert_success(clgemm_create(&kept, NULL));
    for (int i = 0; i < 10; i++) {
        clgemm_handle *handle;
        clg_test_assert_success(clgemm_create(&handle, NULL));
        if (i % 2)
            clg_test_check_works(handle);
        clgemm_destroy(handle);
    }
    clg_test_check_works(kept);
    clgemm_destroy(kept);
}

static void warmup_then_call(void **state) {
    (void)state;
    static const clgemm_shape shapes[] = {{64, 64, 64, CLGEMM_NO_TRANS, CLGEMM_TRANS},
                                          {300, 7, 20, CLGEMM_TRANS, CLGEMM_NO_TRANS},
                                          {0, 0, 0, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS}};
    clgemm_handle *handle;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    clg_test_assert_success(clgemm_warmup(handle, shapes, 3));
    clg_test_assert_success(clgemm_warmup(handle, NULL, 0));
    clg_test_assert_success(clgemm_warmup(NULL, NULL, 0));
    clg_test_assert_success(clgemm_warmup(NULL, shapes, 3));
    clgemm_shape wrong = {-5, 1, 1, CLGEMM_NO_TRANS, CLGEMM_TRANS};
    clg_test_assert_status(clgemm_warmup(handle, &wrong, 1), CLGEMM_STATUS_INVALID_M);
    wrong = (clgemm_shape){5, 1, 1, CLGEMM_NO_TRANS, (clgemm_transpose)7};
    clg_test_assert_status(clgemm_warmup(NULL, &wrong, 1), CLGEMM_STATUS_INVALID_TRANS_B);
    clg_test_check_works(handle);
    clgemm_destroy(handle);
}

static void calls_work_after_clearing(void **state) {
    (void)state;
    clgemm_handle *handle;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    for (int i = 0; i < 3; i++) {
        clg_test_check_works(NULL);
        clg_test_assert_success(clgemm_clear_cache());
        clg_test_assert_success(clgemm_clear_cache()); /* nothing left to clear */
        clg_test_check_works(handle);
    }
    clgemm_destroy(handle);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_by_request),
        cmocka_unit_test(no_such_device),
        cmocka_unit_test(environment_chooses_the_device),
        cmocka_unit_test(without_a_platform_the_text_says_what_to_install),
        cmocka_unit_test(handle_on_the_callers_context),
        cmocka_unit_test(handles_come_and_go),
        cmocka_unit_test(warmup_then_call),
        cmocka_unit_test(calls_work_after_clearing),
    };
    if (argc == 2 && strcmp(argv[1], "one-call") == 0)
        clg_test_end_child(make_one_call());
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
