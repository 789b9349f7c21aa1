/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in host memory through buffers. */
#include "run/host_buffers.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/log.h"
#include "device/buffer.h"
#include "device/event.h"
#include "device/host_memory.h"
#include "device/workspace.h"
#include "run/host_blocks.h"

/* The transfer of one block to the device and back. */
struct transfer {
    struct clg_device *device;
    const struct clg_host_layout *layout;
    const struct clg_problem *problem; /* with the host's leading dimensions */
    const struct clg_scalars *scalars;
    const struct clg_host_matrices *host;
    cl_mem buffer[CLG_MATRICES]; /* NULL if the matrix is in another one's buffer or unused */
    struct clg_workspace lent[CLG_MATRICES]; /* the buffers of matrices that are copied */
    cl_command_queue queue;
};

static size_t element_size(const struct transfer *t) {
    return clg_type_size(t->problem->type);
}

static cl_mem buffer_of(const struct transfer *t, int i) {
    return t->buffer[t->layout->placement[i].buffer];
}

/* Creates the buffer over the memory of matrix i, unless an earlier one contains it. */
static clgemm_status share_matrix(struct transfer *t, int i) {
    const struct clg_placement *all = t->layout->placement, *placement = &all[i];
    const bool holds_c = all[CLG_C].in_place && all[CLG_C].buffer == i;
    if (placement->buffer != i)
        return CLGEMM_SUCCESS;
    return clg_buffer_over(t->device, (const void *)placement->begin,
                           placement->end - placement->begin, holds_c, &t->buffer[i]);
}

/* Copies matrix i, or all of a batch, to its buffer or back. Matrices without gaps between them are
 * copied as one matrix with all their columns. */
static clgemm_status copy_matrices(struct transfer *t, int i, bool to_host) {
    const struct clg_matrix *there = &t->layout->problem.matrix[i], *here = &t->problem->matrix[i];
    const int64_t matrices = clg_problem_matrices(t->problem, i);
    const bool joined = here->stride == here->ld * here->cols;
    struct clg_rectangle each = {.host_ld = here->ld,
                                 .buffer_ld = there->ld,
                                 .rows = there->rows,
                                 .cols = there->cols * (joined ? matrices : 1),
                                 .size = element_size(t)};
    clgemm_status status = CLGEMM_SUCCESS;
    for (int64_t z = 0; z < (joined ? 1 : matrices) && !status; z++) {
        char *host = (char *)t->host->at[i] + (size_t)(z * here->stride) * each.size;
        each.first = z * there->cols;
        status = to_host ? clg_download(t->queue, buffer_of(t, i), host, &each)
                         : clg_upload(t->queue, buffer_of(t, i), host, &each);
    }
    return status;
}

/* Takes a buffer for matrix i, and fills it with what the kernels read. */
static clgemm_status upload_matrix(struct transfer *t, int i) {
    const struct clg_matrix *there = &t->layout->problem.matrix[i];
    const int64_t elements = there->ld * there->cols * clg_problem_matrices(t->problem, i);
    const size_t bytes = (size_t)elements * element_size(t);
    clgemm_status status = clg_workspace_take(t->device, t->queue, bytes, &t->lent[i]);
    t->buffer[i] = t->lent[i].buffer;
    if (!status && (i != CLG_C || t->scalars->beta != 0))
        status = copy_matrices(t, i, false);
    return status;
}

static clgemm_status upload(struct transfer *t) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES && !status; i++)
        if (t->layout->placement[i].in_place)
            status = share_matrix(t, i);
        else if (t->layout->placement[i].used)
            status = upload_matrix(t, i);
    return status;
}

/* Makes C visible to the host. A C in place has no gaps. */
static clgemm_status download(struct transfer *t) {
    const struct clg_matrix *c = &t->layout->problem.matrix[CLG_C];
    return t->layout->placement[CLG_C].in_place
               ? clg_buffer_show(t->queue, buffer_of(t, CLG_C), (size_t)c->offset * element_size(t),
                                 (size_t)(c->rows * c->cols * t->problem->batch) * element_size(t))
               : copy_matrices(t, CLG_C, true);
}

/* After a failure the state of the buffers is unknown, and host memory must not stay in use. */
static void end(struct transfer *t, clgemm_status status) {
    if (status)
        clg_queue_drain(t->queue);
    for (int i = 0; i < CLG_MATRICES; i++)
        if (t->layout->placement[i].in_place)
            clg_buffer_release(t->buffer[i]);
        else if (status)
            clg_workspace_drop(t->device, &t->lent[i]);
        else
            clg_workspace_give(t->device, &t->lent[i], NULL);
    clg_queue_give(t->device, t->queue, status == CLGEMM_SUCCESS);
}

static clgemm_status run(struct transfer *t, const struct clg_prepared *prepared) {
    struct clg_arguments arguments = {.scalars = *t->scalars};
    const struct clg_enqueue where = {.queue = t->queue};
    cl_event done = NULL;
    clgemm_status status = upload(t);
    if (status)
        return status;
    for (int i = 0; i < CLG_MATRICES; i++)
        arguments.memory[i].buffer = buffer_of(t, i);
    if (!(status = clg_exec(t->device, prepared, &arguments, &where, NULL, &done)) &&
        !(status = clg_wait(done)))
        status = download(t);
    clg_event_release(done);
    return status;
}

/* Multiplies one block with this layout. */
static clgemm_status multiply(struct clg_engine *engine, const struct clg_host_layout *layout,
                              const struct clg_problem *problem, const struct clg_scalars *scalars,
                              const struct clg_host_matrices *host, struct clg_plan *plan) {
    struct transfer t = {.device = engine->device,
                         .layout = layout,
                         .problem = problem,
                         .scalars = scalars,
                         .host = host};
    const struct clg_prepared *prepared;
    clgemm_status status = clg_engine_plan(engine, &layout->problem, &prepared);
    if (status)
        return status;
    if (plan)
        *plan = prepared->plan;
    if (prepared->plan.num_steps > 0 && !(status = clg_queue_take(t.device, &t.queue))) {
        status = run(&t, prepared);
        end(&t, status);
    }
    clg_engine_release(prepared);
    return status;
}

/* A problem in blocks. */
struct job {
    struct clg_engine *engine;
    bool share;
    struct clg_host_blocks blocks;
    const struct clg_problem *problem;
    const struct clg_scalars *scalars;
    const struct clg_host_matrices *host;
};

static clgemm_status multiply_block(const struct job *job, struct clg_host_origin place,
                                    struct clg_plan *plan) {
    struct clg_problem block;
    struct clg_scalars scalars;
    struct clg_host_matrices at;
    struct clg_host_layout layout;
    clg_host_block(&job->blocks, job->problem, job->scalars, job->host, place, &block, &scalars,
                   &at);
    clgemm_status status = clg_host_layout_make(&layout, &block, &at, job->share,
                                                job->engine->device->facts.max_allocation);
    return status ? status : multiply(job->engine, &layout, &block, &scalars, &at, plan);
}

/* Blocks along k are added to C one after another. */
static clgemm_status multiply_blocks(const struct job *job, struct clg_plan *plan) {
    const struct clg_problem *problem = job->problem;
    const struct clg_host_blocks *blocks = &job->blocks;
    clgemm_status status = CLGEMM_SUCCESS;
    struct clg_host_origin at = {0, 0, 0, 0};
    clg_log(CLG_LOG_PLANS,
            "in blocks of %" PRId64 " x %" PRId64 " x %" PRId64 ", %" PRId64 " products at a time",
            blocks->m, blocks->n, blocks->k, blocks->batch);
    for (at.z = 0; at.z < problem->batch; at.z += blocks->batch)
        for (at.j = 0; at.j < problem->n && !status; at.j += blocks->n)
            for (at.i = 0; at.i < problem->m && !status; at.i += blocks->m) {
                at.p = 0;
                do { /* once if k is 0 */
                    status = multiply_block(job, at, plan);
                } while ((at.p += blocks->k) < problem->k && !status);
            }
    return status;
}

clgemm_status clg_host_by_buffers(bool share, struct clg_engine *engine,
                                  const struct clg_problem *problem,
                                  const struct clg_scalars *scalars,
                                  const struct clg_host_matrices *host, struct clg_plan *plan) {
    const struct clg_facts *facts = &engine->device->facts;
    struct clg_host_layout layout;
    clgemm_status status =
        clg_host_layout_make(&layout, problem, host, share, facts->max_allocation);
    if (status)
        return status;
    const struct job job = {engine,  share,   clg_host_blocks_choose(problem, &layout, facts),
                            problem, scalars, host};
    return clg_host_blocks_are_whole(&job.blocks, problem)
               ? multiply(engine, &layout, problem, scalars, host, plan)
               : multiply_blocks(&job, plan);
}

/* ---- Warm-up ---- */

/* Invents addresses at which the matrices do not overlap, aligned as the problem's operands allow.
 * Nothing is read there. False if they exceed the address space. */
static bool invent_addresses(const struct clg_problem *problem, struct clg_host_matrices *out) {
    const int64_t page = 4096;
    const size_t size = clg_type_size(problem->type);
    int64_t next = page;
    for (int i = 0; i < CLG_MATRICES; i++) {
        const struct clg_matrix *matrix = &problem->matrix[i];
        int64_t span;
        out->at[i] = (void *)(uintptr_t)next;
        const int64_t others = clg_problem_matrices(problem, i) - 1;
        int64_t to_last;
        if (__builtin_mul_overflow(others, matrix->stride, &to_last) ||
            !clg_span(matrix->rows, matrix->cols, matrix->ld, (uint64_t)to_last, size, &span) ||
            __builtin_add_overflow(next, span * (int64_t)size, &next) ||
            next > INT64_MAX - 2 * page)
            return false;
        next = clg_round_up(next, page);
    }
    return true;
}

clgemm_status clg_host_warm_buffers(bool share, struct clg_engine *engine,
                                    const struct clg_problem *problem) {
    const struct clg_facts *facts = &engine->device->facts;
    const struct clg_scalars scalars = {1, 0};
    struct clg_host_matrices host, at;
    struct clg_host_layout layout;
    if (!invent_addresses(problem, &host))
        return clg_fail(CLGEMM_STATUS_SIZE_OVERFLOW, "the matrices exceed the address space");
    clgemm_status status =
        clg_host_layout_make(&layout, problem, &host, share, facts->max_allocation);
    if (status)
        return status;
    const struct clg_host_blocks blocks = clg_host_blocks_choose(problem, &layout, facts);
    /* Along a side, the first block stands for all but, perhaps, the last. */
    const struct clg_host_origin last = {(problem->m - 1) / blocks.m * blocks.m,
                                         (problem->n - 1) / blocks.n * blocks.n,
                                         problem->k ? (problem->k - 1) / blocks.k * blocks.k : 0,
                                         (problem->batch - 1) / blocks.batch * blocks.batch};
    for (int corner = 0; corner < 16 && !status; corner++) {
        const struct clg_host_origin place = {corner & 1 ? last.i : 0, corner & 2 ? last.j : 0,
                                              corner & 4 ? last.p : 0, corner & 8 ? last.z : 0};
        struct clg_problem block;
        struct clg_scalars factors;
        if ((corner & 1 && !last.i) || (corner & 2 && !last.j) || (corner & 4 && !last.p) ||
            (corner & 8 && !last.z))
            continue;
        clg_host_block(&blocks, problem, &scalars, &host, place, &block, &factors, &at);
        if (!(status = clg_host_layout_make(&layout, &block, &at, share, facts->max_allocation)))
            status = clg_engine_warm(engine, &layout.problem);
    }
    return status;
}
