/* SPDX-License-Identifier: Apache-2.0
 * A multiplication of matrices in host memory through buffers. */
#include "gemm/host_buffers.h"

#include <inttypes.h>

#include "base/log.h"
#include "device/buffer.h"
#include "device/event.h"
#include "device/host_memory.h"
#include "device/workspace.h"
#include "gemm/exec.h"
#include "gemm/host_blocks.h"
#include "gemm/host_layout.h"

/* One call on its way. */
struct trip {
    struct clg_device *device;
    struct clg_host_layout layout;
    const struct clg_problem *problem; /* with the host's leading dimensions */
    const float *host[CLG_MATRICES];
    cl_mem buffer[CLG_MATRICES]; /* NULL where the matrix lies in that of another, or is unused */
    struct clg_workspace lent[CLG_MATRICES]; /* the buffers of those that are not in place */
    cl_command_queue queue;
};

static cl_mem buffer_of(const struct trip *trip, int i) {
    return trip->buffer[trip->layout.matrix[i].buffer];
}

/* Makes the buffer over the memory of matrix i, unless it lies in one made before. */
static clgemm_status share_matrix(struct trip *trip, int i) {
    const struct clg_lodging *all = trip->layout.matrix, *matrix = &all[i];
    const bool holds_c = all[CLG_C].in_place && all[CLG_C].buffer == i;
    if (matrix->buffer != i)
        return CLGEMM_SUCCESS;
    return clg_buffer_over(trip->device, (const void *)matrix->begin, matrix->end - matrix->begin,
                           holds_c, &trip->buffer[i]);
}

/* Takes a buffer for matrix i, and fills it with what the kernels read of it. */
static clgemm_status send_matrix(struct trip *trip, int i, const struct clg_matrix *there,
                                 int64_t host_ld) {
    const size_t bytes = (size_t)(there->ld * there->cols) * sizeof(float);
    clgemm_status status = clg_workspace_take(trip->device, trip->queue, bytes, &trip->lent[i]);
    trip->buffer[i] = trip->lent[i].buffer;
    if (!status && (i != CLG_C || trip->problem->beta != 0))
        status = clg_upload(trip->queue, trip->buffer[i], there->ld, trip->host[i], host_ld,
                            there->rows, there->cols);
    return status;
}

static clgemm_status bring(struct trip *trip) {
    const struct clg_problem *there = &trip->layout.problem;
    const struct clg_matrix *const matrices[] = {&there->a, &there->b, &there->c};
    const int64_t host_ld[] = {trip->problem->a.ld, trip->problem->b.ld, trip->problem->c.ld};
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES && !status; i++)
        if (trip->layout.matrix[i].in_place)
            status = share_matrix(trip, i);
        else if (trip->layout.matrix[i].used)
            status = send_matrix(trip, i, matrices[i], host_ld[i]);
    return status;
}

/* Lets the host see C. In place, C has no gaps. */
static clgemm_status show_c(struct trip *trip, float *host) {
    const struct clg_matrix *c = &trip->layout.problem.c;
    return trip->layout.matrix[CLG_C].in_place
               ? clg_buffer_show(trip->queue, buffer_of(trip, CLG_C),
                                 (size_t)c->offset * sizeof(float),
                                 (size_t)(c->rows * c->cols) * sizeof(float))
               : clg_download(trip->queue, buffer_of(trip, CLG_C), c->ld, host, trip->problem->c.ld,
                              c->rows, c->cols);
}

/* After a failure nothing tells whether a buffer of ours is still in use, and memory of the host's
 * must not be. */
static void end(struct trip *trip, clgemm_status status) {
    if (status)
        clg_queue_drain(trip->queue);
    for (int i = 0; i < CLG_MATRICES; i++)
        if (trip->layout.matrix[i].in_place)
            clg_buffer_release(trip->buffer[i]);
        else if (status)
            clg_workspace_drop(trip->device, &trip->lent[i]);
        else
            clg_workspace_give(trip->device, &trip->lent[i], NULL);
    clg_queue_give(trip->device, trip->queue, status == CLGEMM_SUCCESS);
}

static clgemm_status run(struct trip *trip, struct clg_programs *programs,
                         const struct clg_plan *plan, float *c) {
    cl_event done = NULL;
    clgemm_status status = bring(trip);
    if (status)
        return status;
    const struct clg_places places = {.a.buffer = buffer_of(trip, CLG_A),
                                      .b.buffer = buffer_of(trip, CLG_B),
                                      .c.buffer = buffer_of(trip, CLG_C)};
    const struct clg_enqueue where = {.queue = trip->queue};
    if (!(status = clg_exec(programs, plan, &places, &where, NULL, &done)) &&
        !(status = clg_wait(done)))
        status = show_c(trip, c);
    clg_event_release(done);
    return status;
}

static clgemm_status multiply(bool share, struct clg_memo *memo, const struct clg_problem *problem,
                              const struct clg_host_matrices *host, struct clg_plan *plan) {
    struct trip trip = {.device = clg_programs_device(memo->programs),
                        .problem = problem,
                        .host = {host->a, host->b, host->c}};
    const struct clg_facts *facts = &trip.device->facts;
    clgemm_status status =
        clg_host_layout_make(&trip.layout, problem, host, share, facts->max_allocation);
    if (status || (status = clg_memo_plan(memo, &trip.layout.problem, plan)) ||
        plan->num_steps == 0 || (status = clg_queue_take(trip.device, &trip.queue)))
        return status;
    status = run(&trip, memo->programs, plan, host->c);
    end(&trip, status);
    return status;
}

clgemm_status clg_host_by_buffers(bool share, struct clg_memo *memo,
                                  const struct clg_problem *problem,
                                  const struct clg_host_matrices *host, struct clg_plan *plan) {
    struct clg_host_blocks blocks;
    struct clg_problem block;
    struct clg_host_matrices at;
    clgemm_status status = clg_host_blocks_choose(&blocks, problem, host, share,
                                                  &clg_programs_device(memo->programs)->facts);
    if (!status && (blocks.m < problem->m || blocks.n < problem->n || blocks.k < problem->k))
        clg_log(CLG_LOG_PLANS, "in blocks of %" PRId64 " x %" PRId64 " x %" PRId64, blocks.m,
                blocks.n, blocks.k);
    for (int64_t j = 0; j < problem->n && !status; j += blocks.n)
        for (int64_t i = 0; i < problem->m && !status; i += blocks.m) {
            int64_t p = 0;
            do { /* once where k is 0 */
                clg_host_block(&blocks, problem, host, i, j, p, &block, &at);
                status = multiply(share, memo, &block, &at, plan);
            } while ((p += blocks.k) < problem->k && !status);
        }
    return status;
}
