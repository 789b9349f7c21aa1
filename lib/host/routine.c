/* SPDX-License-Identifier: Apache-2.0
 * The rest of level 3 on matrices in host memory. Columns of B and C in a routine with A on the
 * left do not depend on each other, nor do rows with A on the right. Large ones cross the bus in
 * slabs of these, and the device computes one slab while others move. */
#include "routine/routine.h"
#include "base/checked.h"
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

/* Columns or rows of B and C. */
struct slab {
    int64_t first, count;
};
enum { SLABS_MOST = 4, SLAB_LEAST = 1 << 24 /* bytes */, SLAB_UNIT = 64 /* columns or rows */ };

struct transfer {
    struct clg_device *device;
    cl_command_queue queue, computing; /* of one slab the same */
    const struct clg_routine *given;   /* the caller's call */
    struct clg_routine here;           /* the same on the copies */
    void *const *host;
    struct copy copy[CLG_MATRICES];
    bool by_vectors; /* a slab has whole vectors of B and C, else a part of each */
    int slabs;
    int64_t each; /* columns or rows of a slab; 0: there is one, of everything */
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

/* How many columns or rows of C do not depend on each other. */
static int64_t independent(const struct transfer *t) {
    return t->given->left ? t->given->call.n : t->given->call.m;
}

/* One slab of everything for small matrices, batches, and routines whose columns depend on each
 * other. */
static void cut(struct transfer *t) {
    const struct clg_call *call = &t->given->call;
    const bool symmetric = t->given->routine == CLGEMM_SYMM || t->given->routine == CLGEMM_HEMM;
    const int64_t all = independent(t);
    size_t slabs = t->copy[CLG_C].bytes / SLAB_LEAST;
    t->by_vectors = t->given->left == (call->layout == CLGEMM_COL_MAJOR);
    t->slabs = 1;
    if (slabs < 2 || call->batch > 1 ||
        !(symmetric || clg_routine_is_triangular(t->given->routine)))
        return;
    slabs = slabs < SLABS_MOST ? slabs : SLABS_MOST;
    t->each = clg_round_up(clg_ceil_div(all, (int64_t)slabs), SLAB_UNIT);
    t->slabs = (int)clg_ceil_div(all, t->each);
}

static struct slab slab_of(const struct transfer *t, int s) {
    const int64_t first = s * t->each, left = independent(t) - first;
    return (struct slab){first, t->each && t->each < left ? t->each : left};
}

/* Elements from the start of B or C to that of a slab. */
static int64_t slab_offset(const struct transfer *t, const struct slab *slab, int64_t ld) {
    return slab->first * (t->by_vectors ? ld : 1);
}

/* Copies one matrix of a batch, or a slab of it, between its buffer and the caller's. */
static clgemm_status move(struct transfer *t, int i, int64_t z, const struct slab *slab,
                          enum clg_direction direction) {
    const struct copy *copy = &t->copy[i];
    const struct clg_operand *operand = &t->here.call.operand[i];
    const struct clg_operand *given = &t->given->call.operand[i];
    const size_t size = clg_type_size(t->given->call.type);
    const bool part = t->each && i != CLG_A;
    const int64_t length = part && !t->by_vectors ? slab->count : copy->length;
    const int64_t vectors = part && t->by_vectors ? slab->count : copy->vectors;
    const int64_t at = z * operand->stride + (part ? slab_offset(t, slab, operand->ld) : 0);
    const int64_t host_at = z * given->stride + (part ? slab_offset(t, slab, given->ld) : 0);
    const struct clg_strided strided = {.buffer = copy->lent.buffer,
                                        .at = (size_t)at * size,
                                        .column = (size_t)length * size,
                                        .columns = (size_t)vectors,
                                        .pitch = (size_t)operand->ld * size,
                                        .host_pitch = (size_t)given->ld * size};
    return clg_staged_transfer(t->device, t->queue, direction, &strided, size, copy->part,
                               (char *)t->host[i] + (size_t)host_at * size);
}

static clgemm_status move_all(struct transfer *t, int i, const struct slab *slab,
                              enum clg_direction direction) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (int64_t z = 0; t->copy[i].used && z < t->copy[i].matrices && !status; z++)
        status = move(t, i, z, slab, direction);
    return status;
}

/* B and C. */
static clgemm_status upload(struct transfer *t, const struct slab *slab) {
    const struct clg_routine *given = t->given;
    const bool reads_c =
        clg_routine_is_triangular(given->routine) || clg_scalars_read_c(&given->call.scalars);
    clgemm_status status = move_all(t, CLG_B, slab, CLG_TO_DEVICE);
    if (!status && reads_c)
        status = move_all(t, CLG_C, slab, CLG_TO_DEVICE);
    return status;
}

static clgemm_status run(struct clg_engine *engine, const struct clg_routine *routine,
                         const struct clg_memory memory[CLG_MATRICES],
                         const struct clg_enqueue *where, cl_event *done) {
    const clgemm_status status = clg_routine_run(engine, routine, memory, where, done);
    return status ? status : clg_queue_flush(where->queue);
}

/* The routine for a slab, after what was enqueued to move it. */
static clgemm_status compute(struct clg_engine *engine, struct transfer *t, const struct slab *slab,
                             cl_event *done) {
    struct clg_routine here = t->here;
    struct clg_memory memory[CLG_MATRICES] = {{.buffer = NULL}};
    cl_event moved = NULL;
    for (int i = 0; i < CLG_MATRICES; i++) {
        memory[i].buffer = t->copy[i].lent.buffer;
        if (t->each && i != CLG_A)
            here.call.operand[i].offset += (uint64_t)slab_offset(t, slab, here.call.operand[i].ld);
    }
    if (t->each)
        *(here.left ? &here.call.n : &here.call.m) = slab->count;
    clgemm_status status = CLGEMM_SUCCESS;
    if (t->each && !(status = clg_event_join(t->queue, 0, NULL, &moved)))
        status = clg_queue_flush(t->queue);
    const struct clg_enqueue where = {t->computing, t->each ? 1 : 0, t->each ? &moved : NULL};
    if (!status)
        status = run(engine, &here, memory, &where, done);
    clg_event_release(moved);
    return status;
}

static clgemm_status by_pointer(struct clg_engine *engine, const struct clg_routine *routine,
                                void *const matrices[CLG_MATRICES]) {
    struct clg_memory memory[CLG_MATRICES];
    struct clg_enqueue where = {.queue = NULL};
    cl_event done = NULL;
    clgemm_status status = clg_queue_take(engine->device, &where.queue);
    if (status)
        return status;
    for (int i = 0; i < CLG_MATRICES; i++)
        memory[i] = (struct clg_memory){.pointer = matrices[i]};
    if (!(status = run(engine, routine, memory, &where, &done)))
        status = clg_wait(done);
    clg_event_release(done);
    if (status)
        clg_queue_drain(where.queue);
    clg_queue_give(engine->device, where.queue, status == CLGEMM_SUCCESS);
    return status;
}

static clgemm_status move_and_compute(struct clg_engine *engine, struct transfer *t) {
    cl_event done[SLABS_MOST] = {NULL};
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES && !status; i++)
        if (t->copy[i].used)
            status = clg_workspace_take(t->device, t->queue, t->copy[i].bytes, &t->copy[i].lent);
    if (!status)
        status = move_all(t, CLG_A, NULL, CLG_TO_DEVICE);
    for (int s = 0; s < t->slabs && !status; s++) {
        const struct slab slab = slab_of(t, s);
        if (!(status = upload(t, &slab)))
            status = compute(engine, t, &slab, &done[s]);
    }
    for (int s = 0; s < t->slabs && !status; s++) {
        const struct slab slab = slab_of(t, s);
        if (!(status = clg_wait(done[s])))
            status = move_all(t, CLG_C, &slab, CLG_TO_HOST);
    }
    for (int s = 0; s < t->slabs; s++)
        clg_event_release(done[s]);
    return status;
}

static clgemm_status by_copies(struct clg_engine *engine, struct transfer *t) {
    clgemm_status status = clg_queue_take(t->device, &t->queue);
    if (status)
        return status;
    t->computing = t->queue;
    if (t->each)
        status = clg_queue_take(t->device, &t->computing);
    if (!status && (status = move_and_compute(engine, t))) {
        clg_queue_drain(t->computing);
        clg_queue_drain(t->queue);
    }
    if (t->computing != t->queue)
        clg_queue_give(t->device, t->computing, status == CLGEMM_SUCCESS);
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
    cut(&t);
    return by_copies(host->engine, &t);
}
