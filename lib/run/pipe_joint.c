/* SPDX-License-Identifier: Apache-2.0
 * Computes a small problem with joint transfers instead of a pipeline. */
#include "run/pipe_joint.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/log.h"
#include "device/event.h"
#include "device/staging.h"
#include "device/stream.h"
#include "device/workspace.h"
#include "run/exec.h"
#include "run/host_layout.h"
#include "run/pipe_copy.h"
#include "run/pipe_time.h"

/* A matrix begins at a multiple of this many elements: a cache line, and sufficient for vectors. */
enum { ALIGNMENT = 64 };

/* ---- The layout ---- */

/* Places a matrix after those already placed. False if it exceeds any slot. */
static bool put(struct clg_pipe_joint *out, const struct clg_problem *problem, int which) {
    enum { LONGEST = 1 << 30 };
    const int64_t products = clg_problem_matrices(problem, which);
    struct clg_matrix *held = &out->problem.matrix[which];
    if (held->rows > LONGEST || held->cols > LONGEST / held->rows ||
        products > LONGEST / (held->rows * held->cols))
        return false;
    held->ld = held->readable = clg_host_dense_ld(problem->type, held->rows);
    held->offset = clg_round_up(out->elements, ALIGNMENT);
    held->stride = products > 1 ? held->ld * held->cols : 0;
    held->vector = clg_type_vector(problem->type);
    held->bulk = true;
    out->piece[which] = (struct clg_pipe_piece){.matrix = which,
                                                .rows = held->rows,
                                                .cols = held->cols * products,
                                                .at = held->offset,
                                                .ld = held->ld};
    out->elements = held->offset + held->ld * held->cols * products;
    return true;
}

bool clg_pipe_joint_make(struct clg_pipe_joint *out, const struct clg_problem *problem,
                         bool has_beta, const struct clg_pipe_speeds *speeds,
                         const struct clg_pipe_limits *limits) {
    static const int order[] = {CLG_A, CLG_B, CLG_C};
    const double size = (double)clg_type_size(problem->type);
    *out = (struct clg_pipe_joint){.problem = *problem};
    out->problem.copied = true;
    for (int i = 0; i < CLG_MATRICES; i++) {
        if (clg_work_needs(problem->work, order[i]) && !put(out, problem, order[i]))
            return false;
        if (order[i] != CLG_C || has_beta)
            out->up = out->elements;
    }
    const double bytes = (double)out->elements * size;
    const struct clg_pipe_piece *c = &out->piece[CLG_C];
    out->seconds = clg_pipe_joint_seconds(&out->problem, (double)out->up * size,
                                          (double)(c->ld * c->cols) * size, speeds);
    return bytes <= (double)limits->slot && bytes <= (double)limits->largest &&
           bytes <= (double)limits->bytes;
}

/* ---- The call ---- */

struct job {
    struct clg_device *device;
    const struct clg_pipe_joint *how;
    const struct clg_problem *problem;
    const struct clg_host_matrices *host;
    cl_command_queue queue;
    struct clg_workspace lent;
    struct clg_staging_chunk chunk;
    cl_event gone_up, began, ran; /* NULL: no such command */
};

static struct clg_range range_of(const struct job *job, int64_t from, int64_t to) {
    const size_t size = clg_type_size(job->problem->type);
    return (struct clg_range){job->lent.buffer, (size_t)from * size, (size_t)(to - from) * size};
}

/* Uploads the matrices, whose places in the slot are those in the buffer. */
static clgemm_status upload(struct job *job) {
    const struct clg_pipe_joint *how = job->how;
    const struct clg_range to = range_of(job, 0, how->up);
    char *slot = job->chunk.memory;
    for (int i = 0; i < CLG_MATRICES; i++)
        if (how->piece[i].rows > 0 && how->piece[i].at < how->up)
            clg_pipe_copy(job->problem, job->host, &how->piece[i],
                          slot + (size_t)how->piece[i].at * clg_type_size(job->problem->type),
                          false);
    return to.bytes > 0 ? clg_stream_up(job->queue, &to, slot, NULL, &job->gone_up)
                        : CLGEMM_SUCCESS;
}

static clgemm_status multiply(struct job *job, const struct clg_prepared *prepared,
                              const struct clg_scalars *scalars) {
    const struct clg_pipe_piece *c = &job->how->piece[CLG_C];
    const struct clg_range from = range_of(job, c->at, c->at + c->ld * c->cols);
    const struct clg_enqueue where = {.queue = job->queue};
    struct clg_arguments arguments = {.scalars = *scalars};
    for (int i = 0; i < CLG_MATRICES; i++)
        arguments.memory[i].buffer = job->lent.buffer;
    clgemm_status status =
        clg_exec(job->device, prepared, &arguments, &where, &job->began, &job->ran);
    if (!status)
        status =
            clg_stream_down(job->queue, &from, (char *)job->chunk.memory + from.at, job->ran, NULL);
    return status;
}

/* Some drivers continue after a command that failed, so the transfer of C may succeed nonetheless.
 */
static clgemm_status ask_all(const struct job *job) {
    const cl_event events[] = {job->gone_up, job->began, job->ran};
    clgemm_status status = CLGEMM_SUCCESS;
    for (size_t i = 0; i < sizeof events / sizeof *events && !status; i++)
        status = events[i] ? clg_wait(events[i]) : CLGEMM_SUCCESS;
    return status;
}

static clgemm_status run(struct job *job, const struct clg_prepared *prepared,
                         const struct clg_scalars *scalars) {
    const size_t size = clg_type_size(job->problem->type);
    const struct clg_pipe_piece *c = &job->how->piece[CLG_C];
    const uint64_t bytes = (uint64_t)job->how->elements * size;
    clgemm_status status = clg_workspace_take(job->device, job->queue, bytes, &job->lent);
    if (!status && !(status = upload(job)) && !(status = multiply(job, prepared, scalars)) &&
        !(status = ask_all(job)))
        clg_pipe_copy(job->problem, job->host, c, (char *)job->chunk.memory + (size_t)c->at * size,
                      true);
    return status;
}

static void end(struct job *job, clgemm_status status, int chunks) {
    if (status) {
        clg_queue_drain(job->queue);
        clg_workspace_drop(job->device, &job->lent);
    } else {
        clg_workspace_give(job->device, &job->lent, NULL);
        clg_workspace_settle(job->device, job->queue);
    }
    clg_staging_give(job->device, job->queue, &job->chunk, chunks, !status);
    clg_queue_give(job->device, job->queue, !status);
    clg_event_release(job->gone_up);
    clg_event_release(job->began);
    clg_event_release(job->ran);
}

clgemm_status clg_pipe_joint_carry_out(struct clg_engine *engine, const struct clg_pipe_joint *how,
                                       const struct clg_problem *problem,
                                       const struct clg_scalars *scalars,
                                       const struct clg_host_matrices *host, struct clg_plan *plan,
                                       bool *done) {
    struct job job = {.device = engine->device, .how = how, .problem = problem, .host = host};
    const struct clg_prepared *prepared;
    int chunks = 0;
    *done = true;
    clgemm_status status = clg_engine_plan(engine, &how->problem, &prepared);
    if (!status && !(status = clg_queue_take(job.device, &job.queue))) {
        chunks = clg_staging_take(job.device, job.queue, 1, &job.chunk);
        *done = chunks == 1;
        if (*done) {
            clg_log(CLG_LOG_PLANS,
                    "one transfer each way, %" PRId64 " elements up, %.3f ms expected", how->up,
                    1e3 * how->seconds);
            status = run(&job, prepared, scalars);
        }
        end(&job, status, chunks);
    }
    if (plan && *done && prepared)
        *plan = prepared->plan;
    clg_engine_release(prepared);
    return status;
}
