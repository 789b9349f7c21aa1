/* SPDX-License-Identifier: Apache-2.0
 * Enqueues one step of a plan. */
#include "run/exec_step.h"

#include <string.h>

#include "device/buffer.h"
#include "device/error.h"

_Static_assert((int)CLG_MAX_ARGS <= (int)CLG_KERNEL_ARGS,
               "a kernel object has room for all arguments of a step");

static cl_int set_memory(cl_kernel kernel, cl_uint index, const struct clg_memory *memory) {
    return memory->pointer ? clg_set_pointer_arg(kernel, index, memory->pointer)
                           : clSetKernelArg(kernel, index, sizeof(cl_mem), &memory->buffer);
}

/* Sets an argument that is not memory. `value` represents it for comparisons. */
static cl_int set_plain(struct clg_kernel *kernel, cl_uint index, size_t size, const void *at,
                        uint64_t value) {
    const uint32_t bit = UINT32_C(1) << index;
    if ((kernel->known & bit) && kernel->plain[index] == value)
        return CL_SUCCESS;
    kernel->known &= ~bit;
    const cl_int error = clSetKernelArg(kernel->object, index, size, at);
    if (!error) {
        kernel->known |= bit;
        kernel->plain[index] = value;
    }
    return error;
}

static cl_int set_int(struct clg_kernel *kernel, cl_uint index, int32_t value) {
    return set_plain(kernel, index, sizeof value, &value, (uint32_t)value);
}

static cl_int set_long(struct clg_kernel *kernel, cl_uint index, int64_t value) {
    return set_plain(kernel, index, sizeof value, &value, (uint64_t)value);
}

/* Sets a number in the type that the kernel expects. */
static cl_int set_scalar(struct clg_kernel *kernel, cl_uint index, clgemm_type type, double value) {
    const float single = (float)value;
    const bool is_double = clg_types[type].scalar_size == sizeof value;
    uint64_t bits = 0;
    memcpy(&bits, is_double ? (const void *)&value : &single, clg_types[type].scalar_size);
    return set_plain(kernel, index, clg_types[type].scalar_size, &bits, bits);
}

/* Sets a factor: a number, or a pair. */
static cl_int set_factor(struct clg_kernel *kernel, cl_uint index, clgemm_type type, double real,
                         double imag) {
    const float floats[] = {(float)real, (float)imag};
    const double doubles[] = {real, imag};
    if (!clg_type_is_complex(type))
        return set_scalar(kernel, index, type, real);
    kernel->known &= ~(UINT32_C(1) << index);
    return clSetKernelArg(kernel->object, index, clg_type_size(type),
                          type == CLGEMM_CF64 ? (const void *)doubles : floats);
}

static cl_int set_arg(struct clg_kernel *kernel, cl_uint index, const struct clg_arg *arg,
                      const struct clg_step_arguments *from) {
    switch (arg->kind) {
    case CLG_ARG_MATRIX:
        return set_memory(kernel->object, index, &from->memory[arg->i]);
    case CLG_ARG_WORKSPACE:
        return clSetKernelArg(kernel->object, index, sizeof(cl_mem), &from->workspaces[arg->i]);
    case CLG_ARG_OFFSET:
        return set_long(kernel, index, from->memory[arg->i].offset);
    case CLG_ARG_NUMBERS:
        return set_long(kernel, index, from->memory[arg->i].offset * clg_type_parts(from->type));
    case CLG_ARG_ALPHA:
        return set_factor(kernel, index, from->type, from->scalars.alpha, from->scalars.alpha_imag);
    case CLG_ARG_BETA:
        return set_factor(kernel, index, from->type, from->scalars.beta, from->scalars.beta_imag);
    case CLG_ARG_ONE:
        return set_factor(kernel, index, from->type, 1, 0);
    case CLG_ARG_ALPHA_REAL:
        return from->scalars.alpha_imag == 0
                   ? set_scalar(kernel, index, from->type, from->scalars.alpha)
                   : CL_INVALID_ARG_VALUE;
    case CLG_ARG_BETA_REAL:
        return set_scalar(kernel, index, from->type,
                          from->scalars.beta_imag == 0 ? from->scalars.beta : 1);
    case CLG_ARG_SCALAR:
        return set_scalar(kernel, index, from->type, arg->d);
    case CLG_ARG_FIRST:
        return set_int(kernel, index, (int32_t)from->portion.first);
    case CLG_ARG_STORED:
        return set_int(kernel, index, (int32_t)from->portion.stored);
    case CLG_ARG_INT:
        return set_int(kernel, index, arg->i);
    case CLG_ARG_LONG:
        return set_long(kernel, index, arg->l);
    }
    return CL_INVALID_ARG_VALUE;
}

clgemm_status clg_step_enqueue(const struct clg_step *step, struct clg_kernel *kernel,
                               const struct clg_step_arguments *arguments,
                               const struct clg_enqueue *where, cl_event *event) {
    const size_t local = step->group_size, global = step->groups * step->batch * local;
    for (int i = 0; i < step->num_args; i++) {
        cl_int error = set_arg(kernel, (cl_uint)i, &step->args[i], arguments);
        if (error)
            return clg_cl_fail(error, "setting a kernel's argument");
    }
    cl_int error = clEnqueueNDRangeKernel(where->queue, kernel->object, 1, NULL, &global, &local,
                                          where->num_wait, where->wait_list, event);
    return error ? clg_cl_fail(error, "clEnqueueNDRangeKernel") : CLGEMM_SUCCESS;
}
