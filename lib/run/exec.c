/* SPDX-License-Identifier: Apache-2.0
 * Executes a plan. */
#include "run/exec.h"

#include <stdlib.h>

#include "base/array.h"
#include "device/buffer.h"
#include "device/event.h"
#include "device/workspace.h"
#include "run/warm_launch.h"

_Static_assert(CLG_COUNTERS * sizeof(int) <= CLG_COUNTERS_BYTES, "the counters of a plan fit");

struct run {
    struct clg_device *device;
    const struct clg_plan *plan;
    struct clg_program *const *programs;
    const struct clg_arguments *arguments;
    int begin, end; /* range of steps, without `end` */
    int counters;   /* the plan's, or -1 if these steps do not use them */
    struct clg_workspace lent[CLG_MAX_WORKSPACES];
    cl_mem workspace[CLG_MAX_WORKSPACES]; /* the buffers */
    cl_event event[CLG_MAX_STEPS];
    struct clg_portion portion;             /* that is being enqueued */
    bool is_later;                          /* not the first one */
    struct clg_memory whole[CLG_MATRICES];  /* the arguments', from its product on */
    struct clg_memory memory[CLG_MATRICES]; /* and from its slab on */
    cl_event before;                        /* the last command of the portion before */
    cl_event first;                         /* the first command, if it is asked for */
    bool in_order;                          /* the queue; then no events are needed between steps */
    int gated;                              /* the step that waits for the gate, or -1 */
    cl_event gate;                          /* a user event, opened once all steps are enqueued */
    cl_event *held;                         /* of earlier portions, until the gate is open */
    size_t num_held, room;
    cl_event caller; /* replaces the caller's events if the first step is gated */
};

clgemm_status clg_exec_prepare(struct clg_device *device, struct clg_programs *programs,
                               struct clg_prepared *out) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (int s = 0; s < out->plan.num_steps && !status; s++) {
        const struct clg_warm_step step = {device, &out->plan, s};
        const struct clg_warm_launch launch = {clg_warm_launch_run, &step};
        status = clg_programs_get(programs, out->plan.steps[s].source, out->plan.steps[s].options,
                                  &launch, &out->programs[s]);
    }
    return status;
}

bool clg_exec_find(struct clg_programs *programs, struct clg_prepared *out) {
    bool found = true;
    for (int s = 0; s < out->plan.num_steps && found; s++) {
        const struct clg_step *step = &out->plan.steps[s];
        out->programs[s] = clg_programs_find(programs, step->source, step->options);
        found = out->programs[s] != NULL;
    }
    return found;
}

/* Whether each step waits for the events of those before. */
static bool is_chained(const struct run *run) {
    return !run->in_order || run->gate;
}

/* Whether the step belongs to the portion that is being enqueued. */
static bool is_in_portion(const struct run *run, int s) {
    const struct clg_plan *plan = run->plan;
    switch (plan->steps[s].when) {
    case CLG_BEFORE_SLABS:
        return run->portion.first == 0;
    case CLG_AFTER_SLABS:
        return run->portion.first + plan->slab == plan->problem.n;
    default:
        return true;
    }
}

/* Enqueues step `s`. The first waits for the caller's events, that of a later portion for the
 * portion before, and each other one for all before it. */
static clgemm_status enqueue_step(struct run *run, int s, const struct clg_enqueue *where,
                                  bool want_event) {
    cl_event events[CLG_MAX_STEPS + 1];
    struct clg_enqueue after = {where->queue, 0, NULL};
    struct clg_kernel kernel;
    clgemm_status status = clg_kernel_take(run->programs[s], &kernel);
    if (status)
        return status;
    for (int before = run->begin; before < s && is_chained(run); before++)
        if (run->event[before])
            events[after.num_wait++] = run->event[before];
    const bool first = s == run->begin && !run->is_later;
    if (first && run->caller)
        events[after.num_wait++] = run->caller;
    if (after.num_wait == 0 && run->before)
        events[after.num_wait++] = run->before;
    if (s == run->gated && !run->is_later)
        events[after.num_wait++] = run->gate;
    after.wait_list = after.num_wait > 0 ? events : NULL;
    const struct clg_step *step = &run->plan->steps[s];
    const struct clg_step_arguments arguments = {
        step->when == CLG_EACH_SLAB ? run->memory : run->whole, run->workspace,
        run->arguments->scalars, run->portion, run->plan->problem.type};
    status = clg_step_enqueue(step, &kernel, &arguments, first && run->gated != s ? where : &after,
                              want_event ? &run->event[s] : NULL);
    clg_kernel_give(run->programs[s], &kernel);
    return status;
}

static bool has_portions(const struct clg_plan *plan) {
    return plan->each || plan->slab < plan->problem.n;
}

/* If several steps or portions write C, the first of them waits for a user event, so that none runs
 * unless all could be enqueued. */
static clgemm_status make_gate(struct run *run, const struct clg_enqueue *where) {
    clgemm_status status = CLGEMM_SUCCESS;
    run->gated = -1;
    for (int s = run->end - (has_portions(run->plan) ? 1 : 2); s >= run->begin; s--)
        if (clg_step_writes_c(&run->plan->steps[s]))
            run->gated = s;
    if (run->gated == run->begin && where->num_wait > 0)
        status = clg_event_join(where->queue, where->num_wait, where->wait_list, &run->caller);
    return status || run->gated < 0 ? status : clg_gate_create(where->queue, &run->gate);
}

/* Packing alone needs only some of the plan's workspaces; all other steps together need all of
 * them. */
static bool is_used(const struct run *run, int workspace) {
    const struct clg_step *packing = &run->plan->steps[0];
    bool used = run->end > 1 || run->plan->packed < 0;
    for (int i = 0; i < packing->num_args && !used; i++)
        used = packing->args[i].kind == CLG_ARG_WORKSPACE && packing->args[i].i == workspace;
    return used;
}

static clgemm_status take_workspaces(struct run *run, cl_command_queue queue) {
    struct clg_device *device = run->device;
    clgemm_status status = CLGEMM_SUCCESS;
    for (int w = 0; w < run->plan->num_workspaces && !status; w++) {
        if (w == run->plan->packed && run->arguments->packed) {
            run->workspace[w] = run->arguments->packed;
            continue;
        }
        if (!is_used(run, w))
            continue;
        if (w == run->counters) {
            status = clg_counters_take(device, run->in_order ? queue : NULL, &run->workspace[w]);
            continue;
        }
        status = clg_workspace_take(device, queue, run->plan->workspaces[w], &run->lent[w]);
        run->workspace[w] = run->lent[w].buffer;
    }
    return status;
}

/* Workspaces that commands may still use, without a known order, are released, not kept. */
static void give_workspaces(struct run *run, cl_command_queue queue, clgemm_status status) {
    struct clg_device *device = run->device;
    for (int w = 0; w < run->plan->num_workspaces; w++)
        if (w != run->counters)
            clg_workspace_give(device, &run->lent[w], queue, !status && run->in_order);
        else if (status)
            clg_buffer_release(run->workspace[w]);
        else
            clg_counters_give(device, run->workspace[w], run->in_order ? queue : NULL,
                              run->in_order ? NULL : run->event[run->end - 1]);
}

static void take_event(cl_event *from, cl_event *to) {
    *to = *from;
    *from = NULL;
}

/* Finds portion `number`; false if there is none. */
static bool find_portion(struct run *run, int64_t number) {
    const struct clg_plan *plan = run->plan;
    const struct clg_matrix *matrix = plan->problem.matrix, *b = &matrix[CLG_B];
    if (!clg_plan_portion(plan, number, &run->portion))
        return false;
    for (int i = 0; i < CLG_MATRICES; i++) {
        run->whole[i] = run->arguments->memory[i];
        run->whole[i].offset += run->portion.product * matrix[i].stride;
        run->memory[i] = run->whole[i];
    }
    run->memory[CLG_B].offset += run->portion.first * (b->transposed ? 1 : b->ld);
    run->memory[CLG_C].offset += run->portion.first * matrix[CLG_C].ld;
    run->is_later = number > 0;
    return true;
}

/* Releases the event, behind a gate only later: PoCL 3.1 ends the process when the gate tells a
 * command to fail whose event nobody holds (pocl_update_event_failed). */
static void hold(struct run *run, cl_event event) {
    if (event && run->gate &&
        clg_array_reserve(&run->held, &run->room, run->num_held + 1, sizeof *run->held))
        run->held[run->num_held++] = event;
    else
        clg_event_release(event);
}

static void hold_events(struct run *run) {
    for (int s = run->begin; s < run->end; s++) {
        hold(run, run->event[s]);
        run->event[s] = NULL;
    }
}

/* Enqueues the steps of each portion. The events of the last portion's stay in `run`. */
static clgemm_status enqueue_portions(struct run *run, const struct clg_enqueue *where,
                                      bool want_first, bool want_last) {
    const int end = run->end - 1;
    const bool awaited = run->counters >= 0 || run->gate; /* as it is by the next portion */
    int last = end;
    clgemm_status status = CLGEMM_SUCCESS;
    for (int64_t number = 0; !status && find_portion(run, number); number++) {
        if (run->is_later) {
            hold(run, run->before);
            take_event(&run->event[last], &run->before);
            hold_events(run);
        }
        for (int s = run->begin; s <= end && !status; s++)
            if (is_in_portion(run, s)) {
                status = enqueue_step(run, s, where,
                                      is_chained(run) ? s < end || want_last || awaited
                                      : s == end      ? want_last
                                                      : s == run->begin && want_first);
                last = s;
            }
        if (!run->is_later && want_first && end > run->begin)
            take_event(&run->event[run->begin], &run->first);
    }
    return status;
}

static clgemm_status enqueue(struct run *run, const struct clg_enqueue *where, cl_event *first,
                             cl_event *last) {
    const int end = run->end - 1;
    run->in_order =
        (end > run->begin || run->plan->num_workspaces > 0) && clg_queue_is_in_order(where->queue);
    clgemm_status status = take_workspaces(run, where->queue);
    if (!status)
        status = make_gate(run, where);
    if (!status)
        status = enqueue_portions(run, where, first != NULL, last != NULL);
    const clgemm_status opened = clg_gate_open(run->gate, status);
    status = status ? status : opened;
    give_workspaces(run, where->queue, status);
    if (!status && last)
        take_event(&run->event[end], last);
    if (!status && first)
        take_event(&run->first, first);
    hold_events(run);
    for (size_t i = 0; i < run->num_held; i++)
        clg_event_release(run->held[i]);
    free(run->held);
    clg_event_release(run->before);
    clg_event_release(run->first);
    clg_event_release(run->caller);
    return status;
}

clgemm_status clg_exec(struct clg_device *device, const struct clg_prepared *prepared,
                       const struct clg_arguments *arguments, const struct clg_enqueue *where,
                       cl_event *first, cl_event *last) {
    const struct clg_plan *plan = &prepared->plan;
    if (first)
        *first = NULL;
    if (plan->num_steps == 0)
        return last ? clg_event_join(where->queue, where->num_wait, where->wait_list, last)
                    : CLGEMM_SUCCESS;
    struct run run = {.device = device,
                      .plan = plan,
                      .programs = prepared->programs,
                      .arguments = arguments,
                      .begin = (arguments->packed && plan->packed >= 0) ||
                               (plan->scales_first && arguments->scalars.beta_imag == 0),
                      .end = plan->num_steps,
                      .counters = plan->counters};
    return enqueue(&run, where, first, last);
}

clgemm_status clg_exec_packing(struct clg_device *device, const struct clg_prepared *prepared,
                               const struct clg_arguments *arguments,
                               const struct clg_enqueue *where, cl_event *last) {
    struct run run = {.device = device,
                      .plan = &prepared->plan,
                      .programs = prepared->programs,
                      .arguments = arguments,
                      .begin = 0,
                      .end = 1,
                      .counters = -1};
    return enqueue(&run, where, NULL, last);
}
