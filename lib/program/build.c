/* SPDX-License-Identifier: Apache-2.0
 * Builds a program from source or from a binary. */
#include "program/build.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/error.h"
#include "device/signals.h"

/* The compiler's log, NUL-terminated, or NULL; the caller frees it. A driver may report a size but
 * write no log, omit the final NUL, or report an absurd size. */
static char *read_log(struct clg_device *device, cl_program program) {
    const size_t most = (size_t)1 << 24;
    size_t size = 0;
    char *log = NULL;
    if (clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) ||
        size > most || !(log = calloc(1, size + 1)))
        return NULL;
    if (clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, size, log, NULL) ||
        !*log) {
        free(log);
        return NULL;
    }
    return log;
}

static clgemm_status fail_with_log(cl_int error, struct clg_device *device, cl_program program,
                                   const char *name, const char *options) {
    char *log = read_log(device, program);
    const char *error_name = clg_cl_error_name(error);
    clgemm_status status =
        clg_fail((clgemm_status)error, "building %s failed: %s (%d); options: %s; %s%s", name,
                 error_name ? error_name : "unknown error", (int)error, options,
                 log ? "log:\n" : "the compiler left no log", log ? log : "");
    free(log);
    return status;
}

/* Builds `program`, or releases it on failure. */
static clgemm_status finish(struct clg_device *device, cl_program program, const char *name,
                            const char *options, cl_program *out) {
    clg_signals_save();
    cl_int error = clBuildProgram(program, 1, &device->id, options, NULL, NULL);
    clg_signals_restore();
    if (error) {
        clgemm_status status = fail_with_log(error, device, program, name, options);
        clReleaseProgram(program);
        return status;
    }
    *out = program;
    return CLGEMM_SUCCESS;
}

clgemm_status clg_build_source(struct clg_device *device, const struct clg_source *source,
                               const char *options, cl_program *out) {
    *out = NULL;
    cl_int error = CL_SUCCESS;
    const char *text = source->text;
    cl_program program =
        clCreateProgramWithSource(device->context, 1, &text, &source->length, &error);
    if (error)
        return clg_cl_fail(error, "clCreateProgramWithSource");
    return finish(device, program, source->name, options, out);
}

clgemm_status clg_build_binary(struct clg_device *device, const unsigned char *bytes, size_t size,
                               const char *options, cl_program *out) {
    *out = NULL;
    cl_int error = CL_SUCCESS, loaded = CL_SUCCESS;
    cl_program program =
        clCreateProgramWithBinary(device->context, 1, &device->id, &size, &bytes, &loaded, &error);
    if (error || loaded || !program) {
        if (program)
            clReleaseProgram(program);
        return clg_cl_fail(error    ? error
                           : loaded ? loaded
                                    : CL_INVALID_BINARY,
                           "clCreateProgramWithBinary");
    }
    return finish(device, program, "a binary", options, out);
}

clgemm_status clg_kernel_create(const struct clg_source *source, cl_program built, cl_kernel *out) {
    char name[64];
    cl_int error = CL_SUCCESS;
    snprintf(name, sizeof name, "clg_%s", source->name);
    *out = clCreateKernel(built, name, &error);
    return error ? clg_cl_fail(error, "clCreateKernel") : CLGEMM_SUCCESS;
}

bool clg_build_accepts(struct clg_device *device, const struct clg_source *source,
                       const unsigned char *bytes, size_t size, const char *options,
                       cl_program *out) {
    cl_kernel kernel = NULL;
    if (!bytes || clg_build_binary(device, bytes, size, options, out))
        return false;
    if (clg_kernel_create(source, *out, &kernel)) {
        clReleaseProgram(*out);
        *out = NULL;
        return false;
    }
    clReleaseKernel(kernel);
    return true;
}

/* Intel's driver counts spills apart from private memory (cl_intel_required_subgroup_size), AMD's
 * and NVIDIA's in it. Drivers refuse a query that they do not know. */
uint64_t clg_kernel_spills(const struct clg_device *device, cl_kernel kernel) {
    enum { SPILL_MEM_SIZE_INTEL = 0x4109 };
    static const cl_kernel_work_group_info queries[] = {CL_KERNEL_PRIVATE_MEM_SIZE,
                                                        SPILL_MEM_SIZE_INTEL};
    uint64_t sum = 0;
    for (int i = 0; i < 2; i++) {
        cl_ulong bytes = 0;
        if (!clGetKernelWorkGroupInfo(kernel, device->id, queries[i], sizeof bytes, &bytes, NULL))
            sum += bytes;
    }
    return sum;
}

/* The library's programs are built for one device, but CL_PROGRAM_BINARIES has an entry for each
 * device of the context, in the order of CL_PROGRAM_DEVICES. Other devices' entries have size 0. */
unsigned char *clg_program_binary(cl_program program, size_t *size) {
    cl_uint devices = 0;
    unsigned char *bytes = NULL, **slots = NULL;
    size_t *sizes = NULL;
    if (clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, NULL) ||
        devices == 0 || !(sizes = calloc(devices, sizeof *sizes)) ||
        !(slots = calloc(devices, sizeof *slots)) ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, devices * sizeof *sizes, sizes, NULL))
        goto out;
    cl_uint built = 0;
    while (built < devices && sizes[built] == 0)
        built++;
    if (built == devices || !(slots[built] = bytes = malloc(sizes[built])))
        goto out;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, devices * sizeof *slots, slots, NULL)) {
        free(bytes);
        bytes = NULL;
        goto out;
    }
    *size = sizes[built];
out:
    free(sizes);
    free(slots);
    return bytes;
}
