/* SPDX-License-Identifier: Apache-2.0
 * Executes a plan: acquires what it needs, and releases it. */
#include "host/pipeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
#include "base/log.h"
#include "device/event.h"
#include "device/workspace.h"

/* Slots per thread and direction: one is filled while others are on the bus, or wait for their
 * turn. */
enum { SLOTS_A_THREAD = 3, SLOTS_MOST = 32, PAGE = 4096 };

struct job {
    struct clg_engine *engine;
    struct clg_pipe_run run;
    struct clg_workspace lent[CLG_MATRICES];
    struct clg_staging_chunk chunk[CLG_STAGING_MOST];
    int num_chunks;
    char *slot[2][SLOTS_MOST];
};

/* Finds or makes the plans of the steps' products, one of each kind. */
static clgemm_status prepare(struct job *job) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (int s = 0, kind = 0; s < job->run.plan->num_steps && !status; s++)
        if (job->run.plan->steps[s].kind == kind)
            status = clg_engine_plan(job->engine, &job->run.plan->steps[s].problem,
                                     &job->run.prepared[kind++]);
    return status;
}

/* ---- Resources of a call ---- */

static bool allocate(struct job *job) {
    const struct clg_pipe_plan *plan = job->run.plan;
    job->run.prepared = calloc((size_t)plan->num_kinds, sizeof(struct clg_prepared *));
    job->run.up = calloc((size_t)plan->num_up + 1, sizeof *job->run.up);
    job->run.down = calloc((size_t)plan->num_down + 1, sizeof *job->run.down);
    job->run.ran = calloc((size_t)plan->num_steps, sizeof(cl_event));
    if (job->run.trace || plan->joint)
        job->run.began = calloc((size_t)plan->num_steps, sizeof(cl_event));
    return job->run.prepared && job->run.up && job->run.down && job->run.ran &&
           (job->run.began || !(job->run.trace || plan->joint));
}

static int staged(const struct clg_pipe_plan *plan, const struct clg_pipe_piece *pieces,
                  int count) {
    int staged = 0;
    for (int i = 0; i < count; i++)
        staged += !clg_pipe_is_direct(plan, &pieces[i]);
    return staged;
}

/* Cuts chunks into slots for both directions, at most one per piece. */
static void cut_slots(struct job *job, int up, int down) {
    const size_t size = (job->run.plan->slot + PAGE - 1) / PAGE * PAGE;
    const int each = (int)(CLG_STAGING_CHUNK / size), all = each * job->num_chunks;
    struct clg_pipe_run *r = &job->run;
    r->up_slots = up < all / 2 ? up : all - (down < all / 2 ? down : all / 2);
    r->down_slots = down < all - r->up_slots ? down : all - r->up_slots;
    r->up_slots = r->up_slots < SLOTS_MOST ? r->up_slots : SLOTS_MOST;
    r->down_slots = r->down_slots < SLOTS_MOST ? r->down_slots : SLOTS_MOST;
    for (int i = 0; i < r->up_slots + r->down_slots; i++) {
        char *at = (char *)job->chunk[i / each].memory + (size_t)(i % each) * size;
        job->slot[i >= r->up_slots][i < r->up_slots ? i : i - r->up_slots] = at;
    }
    r->up_slot = job->slot[0];
    r->down_slot = job->slot[1];
}

/* Takes pinned memory for the slots. False if there is too little. */
static bool stage(struct job *job) {
    const struct clg_pipe_plan *plan = job->run.plan;
    const int most = SLOTS_A_THREAD * plan->threads + 2;
    const int up = staged(plan, plan->up, plan->num_up);
    const int down = staged(plan, plan->down, plan->num_down);
    const int slots = (up < most ? up : most) + (down < most ? down : most);
    const size_t size = (plan->slot + PAGE - 1) / PAGE * PAGE;
    if (size == 0) /* no piece needs a slot */
        return true;
    const int each = (int)(CLG_STAGING_CHUNK / size), wanted = (slots + each - 1) / each;
    job->num_chunks =
        clg_staging_take(job->engine->device, job->run.queue[CLG_PIPE_RUN], wanted, job->chunk);
    if (job->num_chunks == 0 || job->num_chunks * each < 2)
        return false;
    cut_slots(job, up, down);
    return true;
}

/* Takes the buffers on the device. Parts of them are addressed by offsets, not by sub-buffers,
 * which some drivers copy (NVIDIA's, at a multiple of the product's time). */
static clgemm_status take_buffers(struct job *job) {
    const struct clg_pipe_plan *plan = job->run.plan;
    const uint64_t size = clg_type_size(job->run.call->problem->type);
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES && !status; i++)
        if (plan->elements[i]) {
            status = clg_workspace_take(job->engine->device, job->run.queue[CLG_PIPE_RUN],
                                        (uint64_t)plan->elements[i] * size, &job->lent[i]);
            job->run.buffer[i] = job->lent[i].buffer;
        }
    return status;
}

static void release_transfers(const struct clg_pipe_transfer *all, int count) {
    for (int i = 0; all && i < count; i++)
        clg_event_release(all[i].event);
}

/* Waits for each transfer, in case the queues could not be waited for. Keeps the last error. */
static void await_transfers(const struct job *job, clgemm_status status) {
    const struct clg_pipe_plan *plan = job->run.plan;
    char why[256];
    clg_copy_last_error(why, sizeof why);
    for (int i = 0; job->run.up && i < plan->num_up; i++)
        if (job->run.up[i].event)
            clg_wait(job->run.up[i].event);
    for (int i = 0; job->run.down && i < plan->num_down; i++)
        if (job->run.down[i].event)
            clg_wait(job->run.down[i].event);
    clg_fail(status, "%s", why);
}

/* After a failure, all commands are waited for, because some may be transfers of the host's
 * matrices themselves. */
static void end(struct job *job, clgemm_status status) {
    struct clg_device *device = job->engine->device;
    const struct clg_pipe_plan *plan = job->run.plan;
    for (int q = 0; q < CLG_PIPE_QUEUES && status; q++)
        clg_queue_drain(job->run.queue[q]);
    if (status && plan->direct)
        await_transfers(job, status);
    release_transfers(job->run.up, plan->num_up);
    release_transfers(job->run.down, plan->num_down);
    for (int s = 0; job->run.ran && s < plan->num_steps; s++)
        clg_event_release(job->run.ran[s]);
    for (int s = 0; job->run.began && s < plan->num_steps; s++)
        clg_event_release(job->run.began[s]);
    for (int i = 0; i < CLG_MATRICES; i++)
        clg_workspace_give(device, &job->lent[i], NULL, !status);
    clg_staging_give(device, job->run.queue[CLG_PIPE_RUN], job->chunk, job->num_chunks, !status);
    if (!status)
        clg_workspace_settle(device, job->run.queue[CLG_PIPE_RUN]);
    for (int q = CLG_PIPE_QUEUES - 1; q >= 0; q--) /* the next call gets the same order */
        clg_queue_give(device, job->run.queue[q], !status && !job->run.trace);
}

static clgemm_status take_queues(struct job *job) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (int q = 0; q < CLG_PIPE_QUEUES && !status; q++)
        status = job->run.trace
                     ? clg_queue_create_profiling(job->engine->device, &job->run.queue[q])
                     : clg_queue_take(job->engine->device, &job->run.queue[q]);
    return status;
}

/* ---- The call ---- */

static void say(const struct job *job) {
    const struct clg_pipe_plan *plan = job->run.plan;
    if (plan->joint)
        clg_log(CLG_LOG_PLANS, "one transfer each way, %" PRId64 " elements up, %.3f ms expected",
                clg_pipe_joint_up(plan), 1e3 * plan->seconds);
    else if (clg_log_on(CLG_LOG_PLANS))
        clg_log(CLG_LOG_PLANS,
                "pipeline: %d pieces up, %d steps, %d pieces down, %d threads%s, %.3f ms expected; "
                "A crosses the bus %.2f times, B %.2f, C %.2f",
                plan->num_up, plan->num_steps, plan->num_down, plan->threads,
                plan->direct ? ", pinned matrices transferred directly" : "", 1e3 * plan->seconds,
                clg_pipe_crossings(plan, job->run.call->problem, CLG_A),
                clg_pipe_crossings(plan, job->run.call->problem, CLG_B),
                clg_pipe_crossings(plan, job->run.call->problem, CLG_C));
}

/* In a C that has never been touched, each page costs a page fault when it is written. Huge pages
 * must not increase the memory of anything but C, so C must have few gaps. */
static void prepare_pages(const struct job *job) {
    enum { MOST_GAPS = 8 }; /* at most one part in this many */
    const struct clg_problem *p = job->run.call->problem;
    const struct clg_matrix *c = &p->matrix[CLG_C];
    const int64_t products = clg_problem_matrices(p, CLG_C);
    const int64_t elements = c->rows * c->cols * products;
    const int64_t last = (products - 1) * c->stride + (c->cols - 1) * c->ld + c->rows;
    if (!clg_scalars_read_c(job->run.call->scalars) && last - elements <= elements / MOST_GAPS)
        clg_pages_prepare(job->run.call->matrices->at[CLG_C],
                          (size_t)last * clg_type_size(p->type));
}

/* The event of one of all commands, in this order: transfers up, steps, transfers down. */
static cl_event event_of(const struct job *job, int command) {
    const int up = job->run.plan->num_up, steps = job->run.plan->num_steps;
    return command < up           ? job->run.up[command].event
           : command < up + steps ? job->run.ran[command - up]
                                  : job->run.down[command - up - steps].event;
}

static clgemm_status wait_unless_through(cl_event event) {
    bool done = false;
    const clgemm_status status = clg_event_is_done(event, &done);
    return status || done ? status : clg_wait(event);
}

/* The result of the run, once its threads have ended. The threads may not have checked the last
 * transfers up or the steps, and some drivers continue after a command that failed. If a command
 * failed because of another one, the status of that one is returned. */
static clgemm_status result(struct job *job) {
    const clgemm_status waited = (clgemm_status)CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    const struct clg_pipe_run *r = &job->run;
    clgemm_status status = clg_failure_end(&job->run.failure);
    const int all = job->run.plan->num_up + job->run.plan->num_steps + job->run.plan->num_down;
    const int seen = status || job->run.plan->direct ? 0 : job->run.plan->num_up - r->up_slots;
    for (int q = 0; q < CLG_PIPE_QUEUES && status; q++)
        clg_queue_drain(r->queue[q]);
    for (int i = seen > 0 ? seen : 0; i < all && (!status || status == waited); i++) {
        const cl_event event = event_of(job, i);
        const clgemm_status ended = event ? wait_unless_through(event) : CLGEMM_SUCCESS;
        status = ended ? ended : status;
    }
    return status;
}

static clgemm_status run(struct job *job, bool *staged) {
    struct clg_pipe_run *r = &job->run;
    clgemm_status status = take_queues(job);
    if (!status && !(*staged = stage(job)))
        return CLGEMM_SUCCESS;
    if (!status)
        status = take_buffers(job);
    if (status)
        return status;
    if (r->call->plan)
        *r->call->plan = job->run.prepared[r->plan->steps[r->plan->num_steps - 1].kind]->plan;
    prepare_pages(job);
    struct clg_workers *workers = job->run.plan->threads > 1 ? clg_device_workers(r->device) : NULL;
    clg_workers_run(workers, job->run.plan->threads - 1, clg_pipe_work, r);
    status = result(job);
    if (!status && r->trace) {
        clg_pipe_trace_queues(r);
        r->trace->expected += job->run.plan->seconds;
    }
    return status;
}

/* ---- A joint call ---- */

static struct clg_strided range_of(const struct job *job, int64_t from, int64_t to) {
    const size_t size = clg_type_size(job->run.call->problem->type);
    return (struct clg_strided){.buffer = job->run.buffer[CLG_A],
                                .at = (size_t)from * size,
                                .column = (size_t)(to - from) * size,
                                .columns = 1};
}

/* Copies a piece to the place in the slot that it has in the buffer, or back. */
static void copy_joint(const struct job *job, const struct clg_pipe_piece *piece, bool to_host) {
    const size_t at = (size_t)piece->at * clg_type_size(job->run.call->problem->type);
    clg_pipe_copy(job->run.call, piece, (char *)job->chunk->memory + at, to_host, 1);
}

static clgemm_status upload_joint(struct job *job) {
    const struct clg_pipe_run *r = &job->run;
    const struct clg_strided to = range_of(job, 0, clg_pipe_joint_up(r->plan));
    for (int i = 0; i < r->plan->num_up; i++)
        copy_joint(job, &r->plan->up[i], false);
    return to.column > 0 ? clg_transfer(r->queue[CLG_PIPE_RUN], CLG_TO_DEVICE, &to,
                                        job->chunk->memory, NULL, &r->up->event)
                         : CLGEMM_SUCCESS;
}

static clgemm_status multiply_joint(struct job *job) {
    const struct clg_pipe_run *r = &job->run;
    const struct clg_pipe_piece *c = r->plan->down;
    const struct clg_strided from = range_of(job, c->at, c->at + c->ld * c->cols);
    const struct clg_enqueue where = {.queue = r->queue[CLG_PIPE_RUN]};
    struct clg_arguments arguments = {.scalars = *r->call->scalars};
    for (int i = 0; i < CLG_MATRICES; i++)
        arguments.memory[i] = (struct clg_memory){
            .buffer = from.buffer, .offset = r->plan->steps->problem.matrix[i].offset};
    clgemm_status status = clg_exec(r->device, *r->prepared, &arguments, &where, r->began, r->ran);
    if (!status)
        status = clg_transfer(where.queue, CLG_TO_HOST, &from, (char *)job->chunk->memory + from.at,
                              *r->ran, NULL);
    return status;
}

/* Some drivers continue after a command that failed, so the transfer of C may succeed nonetheless.
 */
static clgemm_status ask_joint(const struct clg_pipe_run *r) {
    const cl_event events[] = {r->up->event, *r->began, *r->ran};
    clgemm_status status = CLGEMM_SUCCESS;
    for (size_t i = 0; i < sizeof events / sizeof *events && !status; i++)
        status = events[i] ? clg_wait(events[i]) : CLGEMM_SUCCESS;
    return status;
}

static clgemm_status run_joint(struct job *job, bool *staged) {
    struct clg_pipe_run *r = &job->run;
    clgemm_status status = clg_queue_take(r->device, &r->queue[CLG_PIPE_RUN]);
    if (status)
        return status;
    job->num_chunks = clg_staging_take(r->device, r->queue[CLG_PIPE_RUN], 1, job->chunk);
    *staged = job->num_chunks == 1;
    if (!*staged)
        return CLGEMM_SUCCESS;
    if (r->call->plan)
        *r->call->plan = (*r->prepared)->plan;
    if (!(status = take_buffers(job)) && !(status = upload_joint(job)) &&
        !(status = multiply_joint(job)) && !(status = ask_joint(r)))
        copy_joint(job, r->plan->down, true);
    return status;
}

/* ---- Either ---- */

clgemm_status clg_pipe_carry_out(struct clg_host *host, const struct clg_pipe_plan *plan,
                                 const struct clg_host_call *call, bool *staged) {
    struct job job = {.engine = host->engine,
                      .run = {.device = host->engine->device,
                              .plan = plan,
                              .call = call,
                              .trace = plan->joint ? NULL : host->trace}};
    *staged = true;
    say(&job);
    clgemm_status status = allocate(&job) ? prepare(&job)
                                          : clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY,
                                                     "no memory for the transfers of a pipeline");
    if (!status)
        status = plan->joint ? run_joint(&job, staged) : run(&job, staged);
    end(&job, status);
    for (int kind = 0; job.run.prepared && kind < plan->num_kinds; kind++)
        clg_engine_release(job.run.prepared[kind]);
    free(job.run.prepared);
    free(job.run.up);
    free(job.run.down);
    free(job.run.ran);
    free(job.run.began);
    return status;
}
