/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in host memory through buffers. */
#include "host/buffers.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/log.h"
#include "device/buffer.h"
#include "device/event.h"
#include "device/host_memory.h"
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

/* ---- Blocks ---- */

/* Bytes of all copies, and of the largest. */
struct copies {
    double all, largest;
};

static void add_copy(struct copies *copies, int64_t rows, int64_t cols, int64_t matrices,
                     clgemm_type type) {
    const double bytes = (double)clg_host_dense_ld(type, rows) * (double)cols * (double)matrices *
                         (double)clg_type_size(type);
    copies->all += bytes;
    copies->largest = bytes > copies->largest ? bytes : copies->largest;
}

static bool fit(const struct copies *copies, const struct clg_facts *facts) {
    return copies->all <= clg_copies_room(facts) &&
           copies->largest <= (double)facts->max_allocation;
}

/* The copies of the whole problem. */
static struct copies whole(const struct clg_host_layout *layout) {
    struct copies copies = {0, 0};
    for (int i = 0; i < CLG_MATRICES; i++) {
        const struct clg_matrix *matrix = &layout->problem.matrix[i];
        if (layout->placement[i].used && !layout->placement[i].in_place)
            add_copy(&copies, matrix->rows, matrix->cols, clg_problem_matrices(&layout->problem, i),
                     layout->problem.type);
    }
    return copies;
}

/* Adds a rows x cols part of op() of a matrix. */
static void add_operand(struct copies *copies, const struct clg_problem *problem,
                        enum clg_matrix_index which, int64_t rows, int64_t cols, int64_t batch) {
    const bool transposed = problem->matrix[which].transposed;
    add_copy(copies, transposed ? cols : rows, transposed ? rows : cols,
             problem->matrix[which].stride ? batch : 1, problem->type);
}

/* The largest copies that any block needs. */
static struct copies of_block(const struct clg_host_blocks *blocks,
                              const struct clg_problem *problem) {
    struct copies copies = {0, 0};
    add_operand(&copies, problem, CLG_C, blocks->m, blocks->n, blocks->batch);
    if (problem->work == CLG_WORK_MULTIPLY) {
        add_operand(&copies, problem, CLG_A, blocks->m, blocks->k, blocks->batch);
        add_operand(&copies, problem, CLG_B, blocks->k, blocks->n, blocks->batch);
    }
    return copies;
}

/* Halves the longest side. False if no side can be halved. `deep`: k may be halved. */
static bool halve(struct clg_host_blocks *blocks, bool deep) {
    int64_t *side = blocks->n >= blocks->m ? &blocks->n : &blocks->m;
    if (blocks->batch > 1) {
        blocks->batch = clg_ceil_div(blocks->batch, 2);
        return true;
    }
    if (deep && blocks->k > *side)
        side = &blocks->k;
    if (*side <= CLG_BLOCK_SIDE)
        return false;
    *side = clg_round_up(clg_ceil_div(*side, 2), CLG_BLOCK_SIDE);
    return true;
}

struct clg_host_blocks clg_host_blocks_choose(const struct clg_problem *problem,
                                              const struct clg_host_layout *layout,
                                              const struct clg_facts *facts) {
    struct clg_host_blocks blocks = {problem->m, problem->n, problem->k, problem->batch};
    struct copies copies = whole(layout);
    /* Elements of 16 bits would be rounded after each block along k. */
    const bool deep = problem->work == CLG_WORK_MULTIPLY && !clg_type_is_narrow(problem->type);
    while (!fit(&copies, facts) && halve(&blocks, deep))
        copies = of_block(&blocks, problem);
    return blocks;
}

bool clg_host_blocks_are_whole(const struct clg_host_blocks *blocks,
                               const struct clg_problem *problem) {
    return blocks->m == problem->m && blocks->n == problem->n && blocks->k == problem->k &&
           blocks->batch == problem->batch;
}

static int64_t least(int64_t x, int64_t y) {
    return x < y ? x : y;
}

/* Narrows matrix `which` to the rows x cols part of its op() that begins at (i, j) of product z. */
static void narrow(struct clg_problem *block, struct clg_host_matrices *at,
                   enum clg_matrix_index which, int64_t i, int64_t j, int64_t z, int64_t rows,
                   int64_t cols) {
    struct clg_matrix *matrix = &block->matrix[which];
    const int64_t first =
        z * matrix->stride + (matrix->transposed ? j + i * matrix->ld : i + j * matrix->ld);
    if (block->batch == 1)
        matrix->stride = 0;
    matrix->rows = matrix->transposed ? cols : rows;
    matrix->cols = matrix->transposed ? rows : cols;
    matrix->readable = matrix->rows;
    at->at[which] = (char *)at->at[which] + (size_t)first * clg_type_size(block->type);
}

void clg_host_block(const struct clg_host_blocks *blocks, const struct clg_problem *problem,
                    const struct clg_scalars *scalars, const struct clg_host_matrices *host,
                    struct clg_host_origin place, struct clg_problem *out,
                    struct clg_scalars *factors, struct clg_host_matrices *at) {
    *out = *problem;
    out->m = least(blocks->m, problem->m - place.i);
    out->n = least(blocks->n, problem->n - place.j);
    out->k = least(blocks->k, problem->k - place.p);
    out->batch = least(blocks->batch, problem->batch - place.z);
    *factors = *scalars;
    if (place.p > 0)
        factors->beta = 1;
    *at = *host;
    narrow(out, at, CLG_C, place.i, place.j, place.z, out->m, out->n);
    if (problem->work == CLG_WORK_MULTIPLY) { /* else A and B may be NULL */
        narrow(out, at, CLG_A, place.i, place.p, place.z, out->m, out->k);
        narrow(out, at, CLG_B, place.p, place.j, place.z, out->k, out->n);
    }
}

/* ---- One block ---- */

/* The transfer of one block to the device and back. */
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
static clgemm_status copy_matrices(struct transfer *t, int i, bool to_host) {
    const struct clg_matrix *there = &t->layout->problem.matrix[i],
                            *here = &t->call->problem->matrix[i];
    const int64_t matrices = clg_problem_matrices(t->call->problem, i);
    const bool joined = here->stride == here->ld * here->cols;
    struct clg_rectangle each = {.host_ld = here->ld,
                                 .buffer_ld = there->ld,
                                 .rows = there->rows,
                                 .cols = there->cols * (joined ? matrices : 1),
                                 .size = element_size(t)};
    clgemm_status status = CLGEMM_SUCCESS;
    for (int64_t z = 0; z < (joined ? 1 : matrices) && !status; z++) {
        char *host = (char *)t->call->matrices->at[i] + (size_t)(z * here->stride) * each.size;
        each.first = z * there->cols;
        status = to_host ? clg_download(t->queue, buffer_of(t, i), host, &each)
                         : clg_upload(t->queue, buffer_of(t, i), host, &each);
    }
    return status;
}

/* Takes a buffer for matrix i, and fills it with what the kernels read. */
static clgemm_status upload_matrix(struct transfer *t, int i) {
    const struct clg_matrix *there = &t->layout->problem.matrix[i];
    const int64_t elements = there->ld * there->cols * clg_problem_matrices(t->call->problem, i);
    const size_t bytes = (size_t)elements * element_size(t);
    clgemm_status status = clg_workspace_take(t->device, t->queue, bytes, &t->lent[i]);
    t->buffer[i] = t->lent[i].buffer;
    if (!status && (i != CLG_C || t->call->scalars->beta != 0))
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
                                 (size_t)(c->rows * c->cols * t->call->problem->batch) *
                                     element_size(t))
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
    struct clg_arguments arguments = {.scalars = *t->call->scalars};
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

/* ---- All blocks ---- */

struct job {
    struct clg_engine *engine;
    bool share;
    struct clg_host_blocks blocks;
    const struct clg_host_call *call;
};

static clgemm_status multiply_block(const struct job *job, struct clg_host_origin place) {
    const struct clg_host_call *call = job->call;
    struct clg_problem block;
    struct clg_scalars scalars;
    struct clg_host_matrices at;
    struct clg_host_layout layout;
    clg_host_block(&job->blocks, call->problem, call->scalars, call->matrices, place, &block,
                   &scalars, &at);
    const struct clg_host_call part = {&block, &scalars, &at, call->plan};
    clgemm_status status = clg_host_layout_make(&layout, &block, &at, job->share,
                                                job->engine->device->facts.max_allocation);
    return status ? status : multiply(job->engine, &layout, &part);
}

/* Blocks along k are added to C one after another. */
static clgemm_status multiply_blocks(const struct job *job) {
    const struct clg_problem *problem = job->call->problem;
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
                    status = multiply_block(job, at);
                } while ((at.p += blocks->k) < problem->k && !status);
            }
    return status;
}

clgemm_status clg_host_by_buffers(bool share, struct clg_engine *engine,
                                  const struct clg_host_call *call) {
    const struct clg_facts *facts = &engine->device->facts;
    struct clg_host_layout layout;
    clgemm_status status =
        clg_host_layout_make(&layout, call->problem, call->matrices, share, facts->max_allocation);
    if (status)
        return status;
    const struct job job = {engine, share, clg_host_blocks_choose(call->problem, &layout, facts),
                            call};
    return clg_host_blocks_are_whole(&job.blocks, call->problem) ? multiply(engine, &layout, call)
                                                                 : multiply_blocks(&job);
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
    struct clg_host_matrices matrices, at;
    struct clg_host_layout layout;
    if (!invent_addresses(problem, &matrices))
        return clg_fail(CLGEMM_STATUS_SIZE_OVERFLOW, "the matrices exceed the address space");
    clgemm_status status =
        clg_host_layout_make(&layout, problem, &matrices, share, facts->max_allocation);
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
        clg_host_block(&blocks, problem, &scalars, &matrices, place, &block, &factors, &at);
        if (!(status = clg_host_layout_make(&layout, &block, &at, share, facts->max_allocation)))
            status = clg_engine_warm(engine, &layout.problem);
    }
    return status;
}
