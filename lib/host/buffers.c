/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in host memory through buffers. */
#include "host/buffers.h"

#include "base/checked.h"
#include "device/buffer.h"
#include "device/event.h"
#include "device/workspace.h"

/* ---- Layout ---- */

/* Columns in the library's own buffers are aligned for vectors and bulk copies, whatever the host's
 * leading dimension. */
enum { LD_UNIT = 8 }; /* at most: 16 bytes of the smallest type */

/* A runtime may copy or pin the memory under a buffer, so most of it should belong to the matrix.
 */
enum { MOST_SPAN = 4 }; /* elements of memory per element of the matrix */

int64_t clg_host_dense_ld(clgemm_type type, int64_t rows) {
    const unsigned bulk = clg_type_bulk(type);
    return clg_round_up(rows, bulk > CLG_WIDEST_VECTOR ? bulk : CLG_WIDEST_VECTOR);
}

static clgemm_status place_in_copy(struct clg_matrix *matrix, clgemm_type type, int64_t matrices) {
    const size_t size = clg_type_size(type);
    int64_t elements, all;
    if (matrix->rows > INT64_MAX - LD_UNIT ||
        !clg_span(clg_host_dense_ld(type, matrix->rows), matrix->cols,
                  clg_host_dense_ld(type, matrix->rows), 0, size, &elements) ||
        __builtin_mul_overflow(elements, matrices * (int64_t)size, &all))
        return clg_fail(CLGEMM_STATUS_SIZE_OVERFLOW, "the bytes of a matrix exceed an int64_t");
    matrix->ld = clg_host_dense_ld(type, matrix->rows);
    matrix->offset = 0;
    matrix->stride = matrices > 1 ? elements : 0;
    matrix->vector = clg_type_vector(type);
    matrix->bulk = true;
    matrix->readable = matrix->ld;
    return CLGEMM_SUCCESS;
}

static void place_in_place(struct clg_matrix *matrix, const void *host, uintptr_t begin,
                           size_t size) {
    matrix->offset = (int64_t)(((uintptr_t)host - begin) / size);
    matrix->readable = matrix->rows;        /* what follows a column is unknown */
    while (matrix->offset % matrix->vector) /* a copy of the buffer is aligned */
        matrix->vector /= 2;
    matrix->bulk = matrix->bulk && (size_t)matrix->offset * size % 16 == 0;
}

/* Whether the matrix by itself can be used in place. Also sets the memory that it spans, in either
 * case. */
static bool spans(struct clg_placement *out, const struct clg_matrix *matrix, int64_t matrices,
                  const void *host, size_t size, bool may_have_gaps, uint64_t max_allocation) {
    int64_t span, elements;
    if (__builtin_mul_overflow(matrix->rows * matrix->cols, matrices, &elements))
        elements = INT64_MAX; /* matrices of a batch may overlap and span much less */
    if (!clg_span(matrix->rows, matrix->cols, matrix->ld,
                  (uint64_t)(matrices - 1) * (uint64_t)matrix->stride, size, &span))
        return false;
    out->begin = (uintptr_t)host;
    out->end = out->begin + (uintptr_t)span * size;
    return (uint64_t)span * size <= max_allocation && span / MOST_SPAN <= elements &&
           (may_have_gaps || span == elements);
}

static bool overlap(const struct clg_placement *x, const struct clg_placement *y) {
    return x->begin < y->end && y->begin < x->end;
}

static void merge(struct clg_placement *x, struct clg_placement *y) {
    if (!x->in_place || !y->in_place || !overlap(x, y))
        return;
    x->begin = y->begin = x->begin < y->begin ? x->begin : y->begin;
    x->end = y->end = x->end > y->end ? x->end : y->end;
}

/* Also copies matrices that overlap a copied one, because NVIDIA's driver refuses transfers of
 * memory that is under a buffer (CL_INVALID_VALUE). Two passes, because one copy may cause another.
 */
static void copy_with_copies(struct clg_placement placement[CLG_MATRICES]) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < CLG_MATRICES; i++)
            for (int j = 0; j < CLG_MATRICES; j++)
                if (placement[j].used && !placement[j].in_place &&
                    overlap(&placement[i], &placement[j]))
                    placement[i].in_place = false;
}

/* Two passes, because a merge may make a matrix overlap one that was compared before. */
static void merge_all(struct clg_placement placement[CLG_MATRICES], uint64_t max_allocation) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < CLG_MATRICES; i++)
            for (int j = i + 1; j < CLG_MATRICES; j++)
                merge(&placement[i], &placement[j]);
    for (int i = 0; i < CLG_MATRICES; i++)
        placement[i].in_place &= placement[i].end - placement[i].begin <= max_allocation;
    copy_with_copies(placement);
    for (int i = 0; i < CLG_MATRICES; i++) {
        placement[i].buffer = i;
        for (int j = i - 1; j >= 0; j--)
            if (placement[i].in_place && placement[j].in_place &&
                placement[j].begin == placement[i].begin)
                placement[i].buffer = j;
    }
}

clgemm_status clg_host_layout_make(struct clg_host_layout *out, const struct clg_problem *problem,
                                   const struct clg_host_matrices *matrices, bool share,
                                   uint64_t max_allocation) {
    const size_t size = clg_type_size(problem->type);
    *out = (struct clg_host_layout){.problem = *problem};
    struct clg_matrix *matrix = out->problem.matrix;
    for (int i = 0; i < CLG_MATRICES; i++) {
        struct clg_placement *placement = &out->placement[i];
        placement->used = clg_work_needs(problem->work, i);
        placement->in_place = placement->used &&
                              spans(placement, &matrix[i], clg_problem_matrices(problem, i),
                                    matrices->at[i], size, i != CLG_C, max_allocation) &&
                              share;
    }
    merge_all(out->placement, max_allocation);
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES && !status; i++)
        if (out->placement[i].in_place)
            place_in_place(&matrix[i], matrices->at[i], out->placement[i].begin, size);
        else if (out->placement[i].used) {
            status = place_in_copy(&matrix[i], problem->type, clg_problem_matrices(problem, i));
            out->problem.copied = true;
        }
    return status;
}

bool clg_host_layout_fits(const struct clg_host_layout *layout, const struct clg_facts *facts) {
    const struct clg_problem *problem = &layout->problem;
    double all = 0;
    for (int i = 0; i < CLG_MATRICES; i++) {
        const struct clg_matrix *matrix = &problem->matrix[i];
        if (!layout->placement[i].used || layout->placement[i].in_place)
            continue;
        const double bytes = (double)matrix->ld * (double)matrix->cols *
                             (double)clg_problem_matrices(problem, i) *
                             (double)clg_type_size(problem->type);
        if (bytes > (double)facts->max_allocation)
            return false;
        all += bytes;
    }
    return all <= clg_copies_room(facts);
}

/* ---- Calls ---- */

struct transfer {
    struct clg_device *device;
    const struct clg_host_layout *layout;
    const struct clg_host_call *call;
    cl_mem buffer[CLG_MATRICES]; /* NULL if the matrix is in another one's buffer or unused */
    struct clg_workspace lent[CLG_MATRICES]; /* the buffers of matrices that are copied */
    cl_command_queue queue;
};

static size_t element_size(const struct transfer *t) {
    return clg_type_size(t->call->problem->type);
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
static clgemm_status copy_matrices(struct transfer *t, int i, enum clg_direction direction) {
    const struct clg_matrix *there = &t->layout->problem.matrix[i],
                            *here = &t->call->problem->matrix[i];
    const int64_t matrices = clg_problem_matrices(t->call->problem, i);
    const bool joined = here->stride == here->ld * here->cols;
    const size_t size = element_size(t);
    struct clg_strided each = {.buffer = buffer_of(t, i),
                               .column = (size_t)there->rows * size,
                               .columns = (size_t)(there->cols * (joined ? matrices : 1)),
                               .pitch = (size_t)there->ld * size,
                               .host_pitch = (size_t)here->ld * size};
    clgemm_status status = CLGEMM_SUCCESS;
    for (int64_t z = 0; z < (joined ? 1 : matrices) && !status; z++) {
        char *host = (char *)t->call->matrices->at[i] + (size_t)(z * here->stride) * size;
        each.at = (size_t)(z * there->cols) * each.pitch;
        status = clg_transfer(t->queue, direction, &each, host, NULL, NULL);
    }
    return status;
}

/* Takes a buffer for matrix i, and fills it with what the kernels read. */
static clgemm_status upload_matrix(struct transfer *t, int i) {
    const size_t bytes = (size_t)clg_problem_elements(&t->layout->problem, i) * element_size(t);
    clgemm_status status = clg_workspace_take(t->device, t->queue, bytes, &t->lent[i]);
    t->buffer[i] = t->lent[i].buffer;
    if (!status && (i != CLG_C || clg_scalars_read_c(t->call->scalars)))
        status = copy_matrices(t, i, CLG_TO_DEVICE);
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
                                 (size_t)(c->rows * c->cols * t->call->problem->batch) *
                                     element_size(t))
               : copy_matrices(t, CLG_C, CLG_TO_HOST);
}

/* After a failure the state of the buffers is unknown, and host memory must not stay in use. */
static void end(struct transfer *t, clgemm_status status) {
    if (status)
        clg_queue_drain(t->queue);
    for (int i = 0; i < CLG_MATRICES; i++)
        if (t->layout->placement[i].in_place)
            clg_buffer_release(t->buffer[i]);
        else
            clg_workspace_give(t->device, &t->lent[i], NULL, !status);
    clg_queue_give(t->device, t->queue, status == CLGEMM_SUCCESS);
}

static clgemm_status run(struct transfer *t, const struct clg_prepared *prepared) {
    struct clg_arguments arguments = {.scalars = *t->call->scalars};
    const struct clg_enqueue where = {.queue = t->queue};
    cl_event done = NULL;
    clgemm_status status = upload(t);
    if (status)
        return status;
    for (int i = 0; i < CLG_MATRICES; i++)
        arguments.memory[i] = (struct clg_memory){.buffer = buffer_of(t, i),
                                                  .offset = t->layout->problem.matrix[i].offset};
    if (!(status = clg_exec(t->device, prepared, &arguments, &where, NULL, &done)) &&
        !(status = clg_wait(done)))
        status = download(t);
    clg_event_release(done);
    return status;
}

static clgemm_status multiply(struct clg_engine *engine, const struct clg_host_layout *layout,
                              const struct clg_host_call *call) {
    struct transfer t = {.device = engine->device, .layout = layout, .call = call};
    const struct clg_prepared *prepared;
    clgemm_status status = clg_engine_plan(engine, &layout->problem, &prepared);
    if (status)
        return status;
    if (call->plan)
        *call->plan = prepared->plan;
    if (prepared->plan.num_steps > 0 && !(status = clg_queue_take(t.device, &t.queue))) {
        status = run(&t, prepared);
        end(&t, status);
    }
    clg_engine_release(prepared);
    return status;
}

clgemm_status clg_host_by_buffers(struct clg_engine *engine, const struct clg_host_call *call,
                                  bool *done) {
    const struct clg_facts *facts = &engine->device->facts;
    struct clg_host_layout layout;
    clgemm_status status =
        clg_host_layout_make(&layout, call->problem, call->matrices, true, facts->max_allocation);
    *done = status || clg_host_layout_fits(&layout, facts);
    return status || !*done ? status : multiply(engine, &layout, call);
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

clgemm_status clg_host_warm_buffers(struct clg_engine *engine, const struct clg_problem *problem,
                                    bool *done) {
    const struct clg_facts *facts = &engine->device->facts;
    struct clg_host_matrices matrices;
    struct clg_host_layout layout;
    *done = true;
    if (!invent_addresses(problem, &matrices))
        return clg_fail(CLGEMM_STATUS_SIZE_OVERFLOW, "the matrices exceed the address space");
    clgemm_status status =
        clg_host_layout_make(&layout, problem, &matrices, true, facts->max_allocation);
    *done = status || clg_host_layout_fits(&layout, facts);
    return status || !*done ? status : clg_engine_warm(engine, &layout.problem);
}
