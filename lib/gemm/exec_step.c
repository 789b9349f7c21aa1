/* SPDX-License-Identifier: Apache-2.0
 * One step of a plan as a command. */
#include "gemm/exec_step.h"

#include "device/error.h"
#include "device/host_memory.h"

static cl_int set_place(cl_kernel kernel, cl_uint index, const struct clg_place *place) {
    return place->pointer ? clg_set_pointer_arg(kernel, index, place->pointer)
                          : clSetKernelArg(kernel, index, sizeof(cl_mem), &place->buffer);
}

static cl_int set_arg(cl_kernel kernel, cl_uint index, const struct clg_arg *arg,
                      const struct clg_places *places, const cl_mem *workspaces) {
    switch (arg->kind) {
    case CLG_ARG_A:
        return set_place(kernel, index, &places->a);
    case CLG_ARG_B:
        return set_place(kernel, index, &places->b);
    case CLG_ARG_C:
        return set_place(kernel, index, &places->c);
    case CLG_ARG_WORKSPACE:
        return clSetKernelArg(kernel, index, sizeof(cl_mem), &workspaces[arg->i]);
    case CLG_ARG_INT:
        return clSetKernelArg(kernel, index, sizeof arg->i, &arg->i);
    case CLG_ARG_LONG:
        return clSetKernelArg(kernel, index, sizeof arg->l, &arg->l);
    case CLG_ARG_FLOAT:
        return clSetKernelArg(kernel, index, sizeof arg->f, &arg->f);
    }
    return CL_INVALID_ARG_VALUE;
}

clgemm_status clg_step_enqueue(const struct clg_step *step, cl_kernel kernel,
                               const struct clg_places *places, const cl_mem *workspaces,
                               const struct clg_enqueue *where, cl_event *event) {
    const size_t local = step->group_size, global = step->groups * step->group_size;
    for (int i = 0; i < step->num_args; i++) {
        cl_int error = set_arg(kernel, (cl_uint)i, &step->args[i], places, workspaces);
        if (error)
            return clg_cl_fail(error, "setting a kernel's argument");
    }
    cl_int error = clEnqueueNDRangeKernel(where->queue, kernel, 1, NULL, &global, &local,
                                          where->num_wait, where->wait_list, event);
    return error ? clg_cl_fail(error, "clEnqueueNDRangeKernel") : CLGEMM_SUCCESS;
}
