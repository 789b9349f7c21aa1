/* SPDX-License-Identifier: Apache-2.0
 * The rest of level 3 on matrices in host memory. */
#include "routine/routine.h"
#include "device/buffer.h"
#include "device/event.h"
#include "device/workspace.h"
#include "host/buffers.h"
#include "host/staged.h"

/* A matrix and its copy. A vector is contiguous: a column, in row-major layout a row. */
struct copy {
    bool used;
    enum clg_part part;
    int64_t length, vectors, matrices;
    size_t bytes;
    struct clg_workspace lent;
};

struct transfer {
    struct clg_device *device;
    cl_command_queue queue;
    const struct clg_routine *given; /* the caller's call */
    struct clg_routine here;         /* the same on the copies */
    void *const *host;
    struct copy copy[CLG_MATRICES];
};

/* Describes the copies. False if they do not fit. */
static bool make_copies(struct transfer *t, enum clg_work work) {
    const struct clg_call *call = &t->given->call;
    const struct clg_facts *facts = &t->device->facts;
    const bool by_rows = call->layout == CLGEMM_ROW_MAJOR;
    const size_t size = clg_type_size(call->type);
    double all = 0;
    t->here = *t->given;
    for (int i = 0; i < CLG_MATRICES; i++) {
        struct copy *copy = &t->copy[i];
        struct clg_operand *operand = &t->here.call.operand[i];
        int64_t rows, cols;
        bool triangle;
        copy->used = clg_routine_needs(t->given, work, i);
        clg_routine_shape(t->given, i, &rows, &cols, &triangle);
        copy->length = by_rows ? cols : rows;
        copy->vectors = by_rows ? rows : cols;
        copy->part = !triangle                    ? CLG_PART_ALL
                     : t->given->upper == by_rows ? CLG_PART_FROM_DIAGONAL
                                                  : CLG_PART_TO_DIAGONAL;
        copy->matrices = call->batch > 1 && operand->stride ? call->batch : 1;
        operand->ld = clg_host_dense_ld(call->type, copy->length);
        operand->stride = operand->stride ? operand->ld * copy->vectors : 0;
        operand->alignment = 64;
        const double bytes =
            (double)operand->ld * (double)copy->vectors * (double)copy->matrices * (double)size;
        if (!copy->used)
            continue;
        if (bytes > (double)facts->max_allocation || (all += bytes) > clg_copies_room(facts))
            return false;
        copy->bytes = (size_t)(operand->ld * copy->vectors * copy->matrices) * size;
        operand->bytes = copy->bytes;
    }
    return true;
}

/* Copies one matrix of a batch between its buffer and the caller's. */
static clgemm_status move(struct transfer *t, int i, int64_t z, enum clg_direction direction) {
    const struct copy *copy = &t->copy[i];
    const struct clg_operand *operand = &t->here.call.operand[i];
    const struct clg_operand *given = &t->given->call.operand[i];
    const size_t size = clg_type_size(t->given->call.type);
    const struct clg_strided strided = {.buffer = copy->lent.buffer,
                                        .at = (size_t)(z * operand->stride) * size,
                                        .column = (size_t)copy->length * size,
                                        .columns = (size_t)copy->vectors,
                                        .pitch = (size_t)operand->ld * size,
                                        .host_pitch = (size_t)given->ld * size};
    return clg_staged_transfer(t->device, t->queue, direction, &strided, size, copy->part,
                               (char *)t->host[i] + (size_t)(z * given->stride) * size);
}

static clgemm_status upload(struct transfer *t) {
    const bool reads_c =
        clg_routine_is_triangular(t->given->routine) || clg_scalars_read_c(&t->given->call.scalars);
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES && !status; i++) {
        struct copy *copy = &t->copy[i];
        if (!copy->used)
            continue;
        status = clg_workspace_take(t->device, t->queue, copy->bytes, &copy->lent);
        for (int64_t z = 0; z < copy->matrices && !status && (i != CLG_C || reads_c); z++)
            status = move(t, i, z, CLG_TO_DEVICE);
    }
    return status;
}

static clgemm_status download(struct transfer *t) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (int64_t z = 0; z < t->copy[CLG_C].matrices && !status; z++)
        status = move(t, CLG_C, z, CLG_TO_HOST);
    return status;
}

static clgemm_status run(struct clg_engine *engine, const struct clg_routine *routine,
                         const struct clg_memory memory[CLG_MATRICES], cl_command_queue queue) {
    const struct clg_enqueue where = {.queue = queue};
    struct clg_ops ops;
    cl_event done = NULL;
    clgemm_status status = clg_routine_plan(&ops, routine, &engine->device->facts);
    if (!status && !(status = clg_routine_run(engine, &ops, memory, &where, &done)))
        status = clg_wait(done);
    clg_event_release(done);
    clg_ops_free(&ops);
    return status;
}

static clgemm_status by_pointer(struct clg_engine *engine, const struct clg_routine *routine,
                                void *const matrices[CLG_MATRICES]) {
    struct clg_memory memory[CLG_MATRICES];
    cl_command_queue queue;
    clgemm_status status = clg_queue_take(engine->device, &queue);
    if (status)
        return status;
    for (int i = 0; i < CLG_MATRICES; i++)
        memory[i] = (struct clg_memory){.pointer = matrices[i]};
    status = run(engine, routine, memory, queue);
    if (status)
        clg_queue_drain(queue);
    clg_queue_give(engine->device, queue, status == CLGEMM_SUCCESS);
    return status;
}

static clgemm_status by_copies(struct clg_engine *engine, struct transfer *t) {
    struct clg_memory memory[CLG_MATRICES] = {{.buffer = NULL}};
    clgemm_status status = clg_queue_take(t->device, &t->queue);
    if (status)
        return status;
    if (!(status = upload(t))) {
        for (int i = 0; i < CLG_MATRICES; i++)
            memory[i].buffer = t->copy[i].lent.buffer;
        if (!(status = run(engine, &t->here, memory, t->queue)))
            status = download(t);
    }
    if (status)
        clg_queue_drain(t->queue);
    for (int i = 0; i < CLG_MATRICES; i++)
        clg_workspace_give(t->device, &t->copy[i].lent, NULL, !status);
    clg_queue_give(t->device, t->queue, status == CLGEMM_SUCCESS);
    return status;
}

clgemm_status clg_host_routine(struct clg_host *host, const struct clg_routine *routine,
                               void *const matrices[CLG_MATRICES]) {
    struct transfer t = {.device = host->engine->device, .given = routine, .host = matrices};
    if (clg_host_is_aligned(matrices, routine->call.type) &&
        clg_host_access_of(host) == CLG_HOST_POINTER)
        return by_pointer(host->engine, routine, matrices);
    if (!make_copies(&t, clg_routine_work(routine)))
        return clg_fail(CLGEMM_STATUS_UNSUPPORTED,
                        "the matrices do not fit in the memory that a call may use on \"%s\"",
                        t.device->facts.name);
    return by_copies(host->engine, &t);
}
