/* SPDX-License-Identifier: Apache-2.0
 * Writes, builds and enqueues a kernel that does nothing. */
#include "bench/peers/bare.h"

#include <stdio.h>
#include <string.h>

static const char *type_of(enum clg_arg_kind kind) {
    switch (kind) {
    case CLG_ARG_INT:
    case CLG_ARG_FIRST:
    case CLG_ARG_STORED:
        return "int";
    case CLG_ARG_LONG:
    case CLG_ARG_OFFSET:
    case CLG_ARG_NUMBERS:
        return "long";
    case CLG_ARG_ALPHA:
    case CLG_ARG_BETA:
    case CLG_ARG_SCALAR:
        return "real";
    default:
        return "__global real *";
    }
}

static void write_source(char *out, size_t size, clgemm_type type, const struct clg_step *step) {
    size_t used =
        (size_t)snprintf(out, size, "%s\n__kernel void bare(",
                         type == CLGEMM_F64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                                              "typedef double real;"
                                            : "typedef float real;");
    for (int i = 0; i < step->num_args && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s a%d", i ? ", " : "",
                                 type_of(step->args[i].kind), i);
    if (used < size)
        snprintf(out + used, size - used, ") {}\n");
}

static cl_int set_arg(const struct bare *bare, cl_uint index, clgemm_type type,
                      const struct clg_arg *arg, const cl_mem *buffer) {
    const union scalar scalar = element_scalar(type, (struct factor){1, 0});
    const int64_t none = 0;
    switch (arg->kind) {
    case CLG_ARG_INT:
    case CLG_ARG_FIRST:
    case CLG_ARG_STORED:
        return clSetKernelArg(bare->kernel, index, sizeof arg->i, &arg->i);
    case CLG_ARG_LONG:
    case CLG_ARG_OFFSET:
    case CLG_ARG_NUMBERS:
        return clSetKernelArg(bare->kernel, index, sizeof none, &none);
    case CLG_ARG_ALPHA:
    case CLG_ARG_BETA:
    case CLG_ARG_SCALAR:
        return clSetKernelArg(bare->kernel, index, clg_types[type].scalar_size, &scalar);
    default:
        return clSetKernelArg(bare->kernel, index, sizeof *buffer, buffer);
    }
}

cl_int bare_create(struct bare *bare, const struct device *d, clgemm_type type,
                   const struct clg_step *step) {
    char source[32 * (CLG_MAX_ARGS + 4)];
    const char *text = source;
    cl_int code;
    *bare = (struct bare){0};
    write_source(source, sizeof source, type, step);
    bare->program = clCreateProgramWithSource(d->open->context, 1, &text, NULL, &code);
    if (!code)
        code = clBuildProgram(bare->program, 1, &d->open->id, "", NULL, NULL);
    if (!code)
        bare->kernel = clCreateKernel(bare->program, "bare", &code);
    for (int i = 0; i < step->num_args && !code; i++)
        code = set_arg(bare, (cl_uint)i, type, &step->args[i], &d->a);
    return code;
}

void bare_release(struct bare *bare) {
    if (bare->kernel)
        clReleaseKernel(bare->kernel);
    if (bare->program)
        clReleaseProgram(bare->program);
    *bare = (struct bare){0};
}

cl_int bare_enqueue(const struct bare *bare, cl_command_queue queue) {
    const size_t one = 1;
    return clEnqueueNDRangeKernel(queue, bare->kernel, 1, NULL, &one, &one, 0, NULL, NULL);
}
