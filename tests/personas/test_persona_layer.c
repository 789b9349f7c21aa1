/* SPDX-License-Identifier: Apache-2.0
 * The persona of CLG_PERSONA: the device reports what the persona's row says, accepts what is at
 * its limits and refuses what is past them. The library works on it, or says why not. */
#define _GNU_SOURCE
#include "personas/persona.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"
#include "support/device.h"

static const struct persona *persona;
static struct clg_test_cl cl;

/* ---- The device by OpenCL alone ----------------------------------------------------------- */

static cl_device_id first_device(void) {
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL))
        return NULL;
    return device;
}

static int open_device(void **state) {
    (void)state;
    cl_int code;
    cl.device = first_device();
    cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code);
    cl.queue = code ? NULL : clCreateCommandQueue(cl.context, cl.device, 0, &code);
    return code;
}

static int close_device(void **state) {
    (void)state;
    clg_test_cl_close(&cl);
    return 0;
}

/* NULL if the source does not compile. */
static cl_kernel kernel_of(const char *source, const char *options) {
    cl_int code;
    cl_program program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_kernel kernel = NULL;
    if (!clBuildProgram(program, 1, &cl.device, options, NULL, NULL))
        kernel = clCreateKernel(program, "k", &code);
    clReleaseProgram(program);
    return kernel;
}

static cl_int launch(cl_kernel kernel, size_t global, size_t local) {
    cl_int code = clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    clFinish(cl.queue);
    return code;
}

/* ---- Tests -------------------------------------------------------------------------------- */

static void the_device_says_what_the_row_says(void **state) {
    (void)state;
    char name[256];
    size_t group = 0;
    cl_ulong local = 0;
    cl_device_svm_capabilities svm = 0;
    assert_int_equal(clGetDeviceInfo(cl.device, CL_DEVICE_NAME, sizeof name, name, NULL), 0);
    assert_string_equal(name, persona->device);
    clGetDeviceInfo(cl.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    assert_int_equal(group, persona->work_group);
    clGetDeviceInfo(cl.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    assert_int_equal(local, persona->local);
    const cl_int code =
        clGetDeviceInfo(cl.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL);
    assert_int_equal(code, persona->opencl < 200 ? CL_INVALID_VALUE : CL_SUCCESS);
    assert_int_equal(svm, persona->svm);
    assert_int_equal(clGetDeviceInfo(cl.device, CL_DEVICE_NAME, 1, name, NULL), CL_INVALID_VALUE);
}

static void groups_past_the_limits_are_refused(void **state) {
    (void)state;
    const size_t most =
        persona->work_items[0] < persona->work_group ? persona->work_items[0] : persona->work_group;
    cl_kernel kernel = kernel_of("kernel void k(void) {}", "");
    assert_non_null(kernel);
    size_t group = 0;
    clGetKernelWorkGroupInfo(kernel, cl.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group,
                             NULL);
    assert_true(group <= persona->work_group);
    assert_int_equal(launch(kernel, 2 * most, most), CL_SUCCESS);
    assert_int_equal(launch(kernel, 2 * most + 1, most), CL_INVALID_WORK_GROUP_SIZE);
    const cl_int code = launch(kernel, 2 * most + 2, most + 1);
    assert_true(code == CL_INVALID_WORK_GROUP_SIZE || code == CL_INVALID_WORK_ITEM_SIZE);
    clReleaseKernel(kernel);
}

static void local_memory_past_the_limit_is_refused(void **state) {
    (void)state;
    const char *source = "kernel void k(global int *out) {\n"
                         "    local int all[INTS];\n"
                         "    all[get_local_id(0)] = 1;\n"
                         "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                         "    out[0] = all[0];\n"
                         "}\n";
    cl_int code;
    cl_mem out = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, sizeof(cl_int), NULL, &code);
    for (int past = 0; past < 2; past++) {
        char options[32];
        snprintf(options, sizeof options, "-DINTS=%llu",
                 (unsigned long long)(persona->local / sizeof(cl_int)) + (unsigned)past);
        cl_kernel kernel = kernel_of(source, options);
        assert_non_null(kernel);
        clSetKernelArg(kernel, 0, sizeof out, &out);
        assert_int_equal(launch(kernel, 4, 4), past ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
        clReleaseKernel(kernel);
    }
    clReleaseMemObject(out);
}

static void buffers_past_the_limit_are_refused(void **state) {
    (void)state;
    const size_t align = persona->alignment / 8;
    cl_int code;
    assert_null(clCreateBuffer(cl.context, CL_MEM_READ_WRITE, persona->buffer + 1, NULL, &code));
    assert_int_equal(code, CL_INVALID_BUFFER_SIZE);
    if (persona->opencl < 110)
        return;
    cl_mem whole = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, 2 * align, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    const cl_buffer_region off = {align / 2, align / 2}, on = {align, align};
    assert_null(clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &off, &code));
    assert_int_equal(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &on, &code);
    assert_int_equal(code, CL_SUCCESS);
    clReleaseMemObject(part);
    clReleaseMemObject(whole);
}

static void queues_are_the_devices(void **state) {
    (void)state;
    const cl_command_queue_properties any_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(cl.context, cl.device, any_order, &code);
    assert_int_equal(code, persona->out_of_order ? CL_SUCCESS : CL_INVALID_QUEUE_PROPERTIES);
    if (queue)
        clReleaseCommandQueue(queue);
}

static void doubles_compile_where_there_are_any(void **state) {
    (void)state;
    cl_kernel kernel = kernel_of("kernel void k(global T *x) { x[0] *= 2; }", "-DT=double");
    assert_int_equal(kernel != NULL, persona->fp64);
    if (kernel)
        clReleaseKernel(kernel);
    kernel = kernel_of("kernel void k(global T *x) { x[0] *= 2; }", "-DT=float");
    assert_non_null(kernel);
    clReleaseKernel(kernel);
}

static void pointers_are_refused(void **state) {
    (void)state;
    int memory = 0;
    if (persona->opencl < 200)
        skip();
    cl_kernel kernel = kernel_of("kernel void k(global int *x) { x[0] = 2; }", "");
    assert_int_equal(clSetKernelArgSVMPointer(kernel, 0, &memory),
                     persona->svm ? CL_INVALID_ARG_VALUE : CL_INVALID_OPERATION);
    clReleaseKernel(kernel);
}

/* One function introduced in that version. */
static void call_function_of(int version) {
    cl_ulong now;
    if (version == 120)
        clRetainDevice(cl.device);
    else if (version == 200)
        clCreateCommandQueueWithProperties(cl.context, cl.device, NULL, NULL);
    else
        clGetHostTimer(cl.device, &now);
}

static void later_functions_are_missing(void **state) {
    (void)state;
    static const int versions[] = {120, 200, 210};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        if (persona->opencl >= versions[i])
            continue;
        const pid_t child = fork();
        if (child == 0) {
            signal(SIGABRT, SIG_DFL); /* not CMocka's */
            call_function_of(versions[i]);
            _exit(0);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

/* The library needs OpenCL 1.2; with less it must not even try. */
static void the_library_works_or_says_why_not(void **state) {
    (void)state;
    clgemm_handle *handle = NULL;
    if (persona->opencl >= 120) {
        clg_test_check_works(NULL);
        return;
    }
    clg_test_assert_status(clgemm_create(&handle, NULL), CLGEMM_STATUS_NO_DEVICE);
    clg_test_assert_status(clgemm_create_cl(&handle, cl.context, cl.device),
                           persona->opencl < 110 ? CL_INVALID_VALUE : CLGEMM_STATUS_NO_DEVICE);
    if (persona->opencl == 110)
        clg_test_assert_error_says("OpenCL 1.2");
}

/* Whether the loader has loaded the layer. */
static bool is_worn(void) {
    char name[256] = "";
    cl_device_id device = first_device();
    return device && !clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL) &&
           strcmp(name, persona->device) == 0;
}

int main(void) {
    persona = persona_find(getenv("CLG_PERSONA"));
    if (!persona) {
        fprintf(stderr, "CLG_PERSONA names no persona\n");
        return 1;
    }
    if (!is_worn()) {
        printf("skipped: there is no device, or the OpenCL loader does not load OPENCL_LAYERS\n");
        return CLG_TEST_SKIP;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_says_what_the_row_says),
        cmocka_unit_test(groups_past_the_limits_are_refused),
        cmocka_unit_test(local_memory_past_the_limit_is_refused),
        cmocka_unit_test(buffers_past_the_limit_are_refused),
        cmocka_unit_test(queues_are_the_devices),
        cmocka_unit_test(doubles_compile_where_there_are_any),
        cmocka_unit_test(pointers_are_refused),
        cmocka_unit_test(later_functions_are_missing),
        cmocka_unit_test(the_library_works_or_says_why_not),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
