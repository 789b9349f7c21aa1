/* SPDX-License-Identifier: Apache-2.0
 * One step of a plan as a command. */
#include "gemm/exec_step.h"

#include "device/error.h"
#include "device/host_memory.h"

_Static_assert((int)CLG_MAX_ARGS <= (int)CLG_KERNEL_ARGS,
               "a kernel object knows all arguments of a step");

static cl_int set_place(cl_kernel kernel, cl_uint index, const struct clg_place *place) {
    return place->pointer ? clg_set_pointer_arg(kernel, index, place->pointer)
                          : clSetKernelArg(kernel, index, sizeof(cl_mem), &place->buffer);
}

/* An argument that is no memory; `value` is all of it that counts, for a comparison. */
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

static cl_int set_arg(struct clg_kernel *kernel, cl_uint index, const struct clg_arg *arg,
                      const struct clg_places *places, const cl_mem *workspaces) {
    switch (arg->kind) {
    case CLG_ARG_A:
        return set_place(kernel->object, index, &places->a);
    case CLG_ARG_B:
        return set_place(kernel->object, index, &places->b);
    case CLG_ARG_C:
        return set_place(kernel->object, index, &places->c);
    case CLG_ARG_WORKSPACE:
        return clSetKernelArg(kernel->object, index, sizeof(cl_mem), &workspaces[arg->i]);
    case CLG_ARG_INT:
    case CLG_ARG_FLOAT: /* its bits */
        return set_plain(kernel, index, sizeof arg->i, &arg->i, (uint32_t)arg->i);
    case CLG_ARG_LONG:
        return set_plain(kernel, index, sizeof arg->l, &arg->l, (uint64_t)arg->l);
    }
    return CL_INVALID_ARG_VALUE;
}

clgemm_status clg_step_enqueue(const struct clg_step *step, struct clg_kernel *kernel,
                               const struct clg_places *places, const cl_mem *workspaces,
                               const struct clg_enqueue *where, cl_event *event) {
    const size_t local = step->group_size, global = step->groups * step->group_size;
    for (int i = 0; i < step->num_args; i++) {
        cl_int error = set_arg(kernel, (cl_uint)i, &step->args[i], places, workspaces);
        if (error)
            return clg_cl_fail(error, "setting a kernel's argument");
    }
    cl_int error = clEnqueueNDRangeKernel(where->queue, kernel->object, 1, NULL, &global, &local,
                                          where->num_wait, where->wait_list, event);
    return error ? clg_cl_fail(error, "clEnqueueNDRangeKernel") : CLGEMM_SUCCESS;
}
