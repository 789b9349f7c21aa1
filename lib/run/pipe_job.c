/* SPDX-License-Identifier: Apache-2.0
 * A pipeline's plan carried out: what it takes, and gives back. */
#include "run/pipe_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "device/event.h"
#include "device/workspace.h"
#include "run/pipe_run.h"

/* Slots for each thread in either direction: one is filled while others are on the bus, or wait for
 * one before them. */
enum { SLOTS_A_THREAD = 3, SLOTS_MOST = 32, PAGE = 4096 };

/* A call. */
struct job {
    struct clg_engine *engine;
    struct clg_pipe_plan plan;
    struct clg_pipe_run run;
    struct clg_prepared *prepared;
    size_t prepared_room;
    int num_prepared;
    int *kind;
    struct clg_workspace lent[CLG_MATRICES];
    struct clg_staging_chunk chunk[CLG_STAGING_MOST];
    int num_chunks;
    char *slot[2][SLOTS_MOST];
};

/* Finds or makes the plans of the steps' products, each kind once. */
static clgemm_status prepare(struct job *job) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (int s = 0; s < job->plan.num_steps && !status; s++) {
        const struct clg_problem *problem = &job->plan.steps[s].problem;
        int kind = job->num_prepared - 1;
        while (kind >= 0 && !clg_problem_equal(&job->prepared[kind].plan.problem, problem))
            kind--;
        if (kind < 0) {
            if (!clg_array_reserve(&job->prepared, &job->prepared_room,
                                   (size_t)job->num_prepared + 1, sizeof *job->prepared))
                return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for plans");
            kind = job->num_prepared;
            status = clg_engine_plan(job->engine, problem, &job->prepared[kind]);
            job->num_prepared += !status;
        }
        job->kind[s] = kind;
    }
    return status;
}

/* ---- What a call holds ---- */

static bool allocate(struct job *job) {
    const struct clg_pipe_plan *plan = &job->plan;
    job->kind = calloc((size_t)plan->num_steps, sizeof *job->kind);
    job->run.up = calloc((size_t)plan->num_up + 1, sizeof *job->run.up);
    job->run.down = calloc((size_t)plan->num_down + 1, sizeof *job->run.down);
    job->run.ran = calloc((size_t)plan->num_steps, sizeof(cl_event));
    return job->kind && job->run.up && job->run.down && job->run.ran;
}

/* Cuts chunks into slots for both directions, none more than there are pieces. */
static void cut_slots(struct job *job) {
    const size_t size = (job->plan.slot + PAGE - 1) / PAGE * PAGE;
    const int each = (int)(CLG_STAGING_CHUNK / size), all = each * job->num_chunks;
    const int up = job->plan.num_up, down = job->plan.num_down;
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

/* Takes pinned memory for the slots; false where there is too little. */
static bool stage(struct job *job) {
    const struct clg_pipe_plan *plan = &job->plan;
    const int most = SLOTS_A_THREAD * plan->threads + 2;
    const int slots = (plan->num_up < most ? plan->num_up : most) +
                      (plan->num_down < most ? plan->num_down : most);
    const size_t size = (plan->slot + PAGE - 1) / PAGE * PAGE;
    const int each = (int)(CLG_STAGING_CHUNK / size), wanted = (slots + each - 1) / each;
    job->num_chunks =
        clg_staging_take(job->engine->device, job->run.queue[CLG_PIPE_UP], wanted, job->chunk);
    if (job->num_chunks == 0 || job->num_chunks * each < 2)
        return false;
    cut_slots(job);
    return true;
}

/* Takes the buffers on the device. Parts of them are known by where they begin: buffers over parts
 * of others, some drivers copy (NVIDIA's: 500 ms for a product of 25). */
static clgemm_status take_buffers(struct job *job) {
    const struct clg_pipe_plan *plan = &job->plan;
    const uint64_t size = clg_type_size(job->run.problem->type);
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

/* After a failure commands may still use what they were given, but for the host's matrices, which
 * only threads of ours touch. */
static void end(struct job *job, clgemm_status status) {
    struct clg_device *device = job->engine->device;
    const struct clg_pipe_plan *plan = &job->plan;
    for (int q = 0; q < CLG_PIPE_QUEUES && status; q++)
        clg_queue_drain(job->run.queue[q]);
    release_transfers(job->run.up, plan->num_up);
    release_transfers(job->run.down, plan->num_down);
    for (int s = 0; job->run.ran && s < plan->num_steps; s++)
        clg_event_release(job->run.ran[s]);
    for (int i = 0; i < CLG_MATRICES; i++)
        if (status)
            clg_workspace_drop(device, &job->lent[i]);
        else
            clg_workspace_give(device, &job->lent[i], NULL);
    clg_staging_give(device, job->run.queue[CLG_PIPE_UP], job->chunk, job->num_chunks, !status);
    if (!status)
        clg_workspace_settle(device, job->run.queue[CLG_PIPE_RUN]);
    for (int q = CLG_PIPE_QUEUES - 1; q >= 0; q--) /* the next call finds them in the same order */
        clg_queue_give(device, job->run.queue[q], !status);
    free(job->kind);
    free(job->run.up);
    free(job->run.down);
    free(job->run.ran);
    free(job->prepared);
}

static clgemm_status take_queues(struct job *job) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (int q = 0; q < CLG_PIPE_QUEUES && !status; q++)
        status = clg_queue_take(job->engine->device, &job->run.queue[q]);
    return status;
}

/* ---- The call ---- */

static void say(const struct job *job) {
    const struct clg_pipe_plan *plan = &job->plan;
    if (clg_log_on(CLG_LOG_PLANS))
        clg_log(CLG_LOG_PLANS,
                "pipeline of %d pieces up, %d steps, %d pieces down, %d threads: %.3f ms expected; "
                "A crosses the bus %.2f times, B %.2f, C %.2f",
                plan->num_up, plan->num_steps, plan->num_down, plan->threads, 1e3 * plan->seconds,
                clg_pipe_crossings(plan, job->run.problem, CLG_A),
                clg_pipe_crossings(plan, job->run.problem, CLG_B),
                clg_pipe_crossings(plan, job->run.problem, CLG_C));
}

/* The event of one command of all, in their order: transfers up, steps, transfers down. */
static cl_event event_of(const struct job *job, int command) {
    const int up = job->plan.num_up, steps = job->plan.num_steps;
    return command < up           ? job->run.up[command].event
           : command < up + steps ? job->run.ran[command - up]
                                  : job->run.down[command - up - steps].event;
}

static clgemm_status wait_unless_through(cl_event event) {
    bool done = false;
    const clgemm_status status = clg_stream_poll(event, &done);
    return status || done ? status : clg_wait(event);
}

/* How the run ended, once its threads are through. They need not have looked at the last transfers
 * up, nor at the steps, and some drivers go on with what is behind a command that failed. Where one
 * failed because of another, that is the reason to tell. */
static clgemm_status result(struct job *job) {
    const clgemm_status waited = (clgemm_status)CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    const struct clg_pipe_run *r = &job->run;
    clgemm_status status =
        r->status ? clg_fail((clgemm_status)r->status, "%s", r->why) : CLGEMM_SUCCESS;
    const int all = job->plan.num_up + job->plan.num_steps + job->plan.num_down;
    for (int q = 0; q < CLG_PIPE_QUEUES && status; q++)
        clg_queue_drain(r->queue[q]);
    for (int i = status ? 0 : job->plan.num_up - r->up_slots;
         i < all && (!status || status == waited); i++) {
        const cl_event event = event_of(job, i);
        const clgemm_status ended = event ? wait_unless_through(event) : CLGEMM_SUCCESS;
        status = ended ? ended : status;
    }
    return status;
}

static clgemm_status run(struct job *job, struct clg_plan *plan, bool *done) {
    struct clg_pipe_run *r = &job->run;
    clgemm_status status = take_queues(job);
    if (!status && !(*done = stage(job)))
        return CLGEMM_SUCCESS;
    if (!status)
        status = take_buffers(job);
    if (status)
        return status;
    *plan = job->prepared[job->kind[job->plan.num_steps - 1]].plan;
    r->plan = &job->plan;
    r->prepared = job->prepared;
    r->kind = job->kind;
    struct clg_workers *workers = job->plan.threads > 1 ? clg_device_workers(r->device) : NULL;
    clg_workers_run(workers, job->plan.threads - 1, clg_pipe_work, r);
    return result(job);
}

clgemm_status clg_pipe_carry_out(struct clg_engine *engine, const struct clg_pipe_plan *steps,
                                 const struct clg_problem *problem,
                                 const struct clg_scalars *scalars,
                                 const struct clg_host_matrices *host, struct clg_plan *plan,
                                 bool *done) {
    struct job job = {
        .engine = engine,
        .plan = *steps,
        .run = {.device = engine->device, .problem = problem, .scalars = scalars, .host = host}};
    clgemm_status status = CLGEMM_SUCCESS;
    *done = allocate(&job);
    if (*done) {
        say(&job);
        status = prepare(&job);
    }
    if (*done && !status)
        status = run(&job, plan, done);
    end(&job, status);
    clg_pipe_plan_free(&job.plan);
    return status;
}
