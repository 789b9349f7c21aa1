/* SPDX-License-Identifier: Apache-2.0
 * Carrying a plan out. */
#include "gemm/exec.h"

#include "device/buffer.h"
#include "device/error.h"
#include "gemm/exec_prime.h"

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
    for (int s = 0; s < run->plan->num_steps && !status; s++) {
        const struct clg_priming priming = {clg_programs_device(run->programs), run->plan, s};
        const struct clg_primer primer = {clg_prime, &priming};
        status = clg_programs_get(run->programs, run->plan->steps[s].source,
                                  run->plan->steps[s].options, &primer, &run->program[s]);
    }
    return status;
}

clgemm_status clg_exec_prepare(struct clg_programs *programs, const struct clg_plan *plan) {
    struct run run = {.programs = programs, .plan = plan};
    return get_programs(&run);
}

/* Enqueues step `s`. The last step waits for all others, which wait for the caller's events. */
static clgemm_status enqueue_step(struct run *run, int s, const struct clg_enqueue *where,
                                  bool want_event) {
    const bool waits_for_steps = s > 0 && s == run->plan->num_steps - 1;
    const struct clg_enqueue after = {where->queue, (cl_uint)s, run->event};
    cl_kernel kernel = NULL;
    clgemm_status status = clg_kernel_take(run->program[s], &kernel);
    if (status)
        return status;
    status = clg_step_enqueue(&run->plan->steps[s], kernel, run->buffers, run->workspace,
                              waits_for_steps ? &after : where, want_event ? &run->event[s] : NULL);
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
