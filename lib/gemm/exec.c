/* SPDX-License-Identifier: Apache-2.0
 * Carrying a plan out. */
#include "gemm/exec.h"

#include "device/buffer.h"
#include "device/error.h"

/* What one run holds while it is being enqueued. */
struct run {
    struct clg_programs *programs;
    const struct clg_plan *plan;
    const struct clg_buffers *buffers;
    struct clg_program *program[CLG_MAX_STEPS];
    cl_mem workspace[CLG_MAX_WORKSPACES];
    cl_event event[CLG_MAX_STEPS];
};

static clgemm_status get_programs(struct run *run) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (int s = 0; s < run->plan->num_steps && !status; s++)
        status = clg_programs_get(run->programs, run->plan->steps[s].source,
                                  run->plan->steps[s].options, &run->program[s]);
    return status;
}

clgemm_status clg_exec_prepare(struct clg_programs *programs, const struct clg_plan *plan) {
    struct run run = {.programs = programs, .plan = plan};
    return get_programs(&run);
}

static cl_int set_arg(const struct run *run, cl_kernel kernel, cl_uint index,
                      const struct clg_arg *arg) {
    switch (arg->kind) {
    case CLG_ARG_A:
        return clSetKernelArg(kernel, index, sizeof(cl_mem), &run->buffers->a);
    case CLG_ARG_B:
        return clSetKernelArg(kernel, index, sizeof(cl_mem), &run->buffers->b);
    case CLG_ARG_C:
        return clSetKernelArg(kernel, index, sizeof(cl_mem), &run->buffers->c);
    case CLG_ARG_WORKSPACE:
        return clSetKernelArg(kernel, index, sizeof(cl_mem), &run->workspace[arg->i]);
    case CLG_ARG_INT:
        return clSetKernelArg(kernel, index, sizeof arg->i, &arg->i);
    case CLG_ARG_LONG:
        return clSetKernelArg(kernel, index, sizeof arg->l, &arg->l);
    case CLG_ARG_FLOAT:
        return clSetKernelArg(kernel, index, sizeof arg->f, &arg->f);
    }
    return CL_INVALID_ARG_VALUE;
}

/* Enqueues step `s`. The last step waits for all others, which wait for the caller's events. */
static clgemm_status enqueue_step(struct run *run, int s, const struct clg_enqueue *where,
                                  bool want_event) {
    const bool first_launch = clg_program_awaits_launch(run->program[s]);
    const struct clg_step *step = &run->plan->steps[s];
    const bool waits_for_steps = s > 0 && s == run->plan->num_steps - 1;
    const cl_uint num_wait = waits_for_steps ? (cl_uint)s : where->num_wait;
    const cl_event *wait_list = waits_for_steps ? run->event : where->wait_list;
    const size_t local = step->group_size, global = step->groups * step->group_size;
    cl_kernel kernel = NULL;
    clgemm_status status = clg_kernel_take(run->program[s], &kernel);
    if (status)
        return status;
    for (int i = 0; i < step->num_args && !status; i++) {
        cl_int error = set_arg(run, kernel, (cl_uint)i, &step->args[i]);
        if (error)
            status = clg_cl_fail(error, "clSetKernelArg");
    }
    if (!status) {
        cl_int error =
            clEnqueueNDRangeKernel(where->queue, kernel, 1, NULL, &global, &local, num_wait,
                                   wait_list, want_event || first_launch ? &run->event[s] : NULL);
        if (error)
            status = clg_cl_fail(error, "clEnqueueNDRangeKernel");
    }
    if (!status && first_launch)
        clg_program_launched(run->program[s], run->event[s]);
    clg_kernel_give(run->program[s], kernel);
    return status;
}

static void take_event(cl_event *from, cl_event *to) {
    *to = *from;
    *from = NULL;
}

clgemm_status clg_exec(struct clg_programs *programs, const struct clg_plan *plan,
                       const struct clg_buffers *buffers, const struct clg_enqueue *where,
                       cl_event *first, cl_event *last) {
    if (first)
        *first = NULL;
    if (plan->num_steps == 0) {
        cl_int error = last ? clEnqueueMarkerWithWaitList(where->queue, where->num_wait,
                                                          where->wait_list, last)
                            : CL_SUCCESS;
        return error ? clg_cl_fail(error, "clEnqueueMarkerWithWaitList") : CLGEMM_SUCCESS;
    }
    struct run run = {.programs = programs, .plan = plan, .buffers = buffers};
    const int end = plan->num_steps - 1;
    clg_programs_settle(programs);
    clgemm_status status = get_programs(&run);
    for (int w = 0; w < plan->num_workspaces && !status; w++)
        status = clg_buffer_create(clg_programs_device(programs), plan->workspaces[w],
                                   &run.workspace[w]);
    for (int s = 0; s <= end && !status; s++)
        status = enqueue_step(&run, s, where, s < end || last);
    if (!status && last)
        take_event(&run.event[end], last);
    if (!status && first && end > 0)
        take_event(&run.event[0], first);

    /* The runtime keeps objects that commands under way still use. */
    for (int s = 0; s <= end; s++)
        if (run.event[s])
            clReleaseEvent(run.event[s]);
    for (int w = 0; w < plan->num_workspaces; w++)
        clg_buffer_release(run.workspace[w]);
    return status;
}
