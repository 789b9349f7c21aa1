/* SPDX-License-Identifier: Apache-2.0
 * Transfers through pinned memory. The matrix is cut into pieces of about a slot, columns side by
 * side. A thread has two slots: while one crosses the bus, it copies the other. */
#include "host/staged.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
#include "base/thread.h"
#include "device/error.h"
#include "device/event.h"
#include "device/staging.h"
#include "host/plan.h"

enum { SLOTS_A_THREAD = 2 };

struct piece {
    size_t column, columns, row, rows; /* rows in bytes */
};

struct job {
    cl_command_queue queue;
    enum clg_direction direction;
    const struct clg_strided *matrix;
    size_t element;
    enum clg_part part;
    char *memory;
    size_t slot;          /* bytes */
    size_t columns, rows; /* of a piece; rows in bytes */
    size_t pieces, down;  /* all, and those below one another */
    char *slots[CLG_WORKERS_MOST + 1][SLOTS_A_THREAD];
    int threads;
    size_t next; /* atomic: the next piece that a thread may take */
    struct clg_failure failure;
};

/* ---- Pieces ---- */

static size_t least(size_t x, size_t y) {
    return x < y ? x : y;
}

static size_t most(size_t x, size_t y) {
    return x > y ? x : y;
}

/* Of column j: the bytes of the part, from `begin` on and before `end`. */
static size_t begin_of(const struct job *job, size_t j) {
    return job->part == CLG_PART_FROM_DIAGONAL ? j * job->element : 0;
}

static size_t end_of(const struct job *job, size_t j) {
    return job->part == CLG_PART_TO_DIAGONAL ? least((j + 1) * job->element, job->matrix->column)
                                             : job->matrix->column;
}

/* Piece i, without rows that none of its columns has: perhaps nothing. */
static struct piece piece_of(const struct job *job, size_t i) {
    const size_t column = i / job->down * job->columns;
    const size_t columns = least(job->columns, job->matrix->columns - column);
    const size_t row = i % job->down * job->rows;
    const size_t begin = most(row, begin_of(job, column));
    const size_t end = least(row + job->rows, end_of(job, column + columns - 1));
    return (struct piece){column, columns, begin, end > begin ? end - begin : 0};
}

static char *host_place(const struct job *job, size_t column, size_t row) {
    return job->memory + column * job->matrix->host_pitch + row;
}

static void fill(const struct job *job, const struct piece *p, char *slot) {
    clg_copy_columns_for_bus(slot, p->rows, host_place(job, p->column, p->row),
                             job->matrix->host_pitch, p->rows, p->columns, job->threads);
}

static void empty(const struct job *job, const struct piece *p, const char *slot) {
    if (job->part == CLG_PART_ALL) {
        clg_copy_columns(host_place(job, p->column, p->row), job->matrix->host_pitch, slot, p->rows,
                         p->rows, p->columns);
        return;
    }
    for (size_t j = 0; j < p->columns; j++) {
        const size_t begin = most(p->row, begin_of(job, p->column + j));
        const size_t end = least(p->row + p->rows, end_of(job, p->column + j));
        if (end > begin)
            memcpy(host_place(job, p->column + j, begin), slot + j * p->rows + begin - p->row,
                   end - begin);
    }
}

/* ---- Threads ---- */

static clgemm_status send(const struct job *job, const struct piece *p, char *slot,
                          cl_event *done) {
    const struct clg_strided part = {.buffer = job->matrix->buffer,
                                     .at =
                                         job->matrix->at + p->column * job->matrix->pitch + p->row,
                                     .column = p->rows,
                                     .columns = p->columns,
                                     .pitch = job->matrix->pitch,
                                     .host_pitch = p->rows};
    return clg_transfer(job->queue, job->direction, &part, slot, NULL, done);
}

/* Waits for a slot's transfer, and empties the slot if that was to the host. */
static void end_one(struct job *job, const struct piece *p, char *slot, cl_event *done) {
    if (!*done)
        return;
    const bool ended = !clg_failure_note(&job->failure, clg_wait(*done));
    clg_event_release(*done);
    *done = NULL;
    if (ended && job->direction == CLG_TO_HOST)
        empty(job, p, slot);
}

static void work(void *arg, int who) {
    struct job *job = arg;
    struct piece piece[SLOTS_A_THREAD];
    cl_event done[SLOTS_A_THREAD] = {NULL};
    int turn = 0;
    for (size_t i; who < job->threads && !clg_failure_is_noted(&job->failure) &&
                   (i = __atomic_fetch_add(&job->next, 1, __ATOMIC_SEQ_CST)) < job->pieces;) {
        char *slot = job->slots[who][turn];
        end_one(job, &piece[turn], slot, &done[turn]);
        piece[turn] = piece_of(job, i);
        if (!piece[turn].rows)
            continue;
        if (job->direction == CLG_TO_DEVICE)
            fill(job, &piece[turn], slot);
        if (!clg_failure_note(&job->failure, send(job, &piece[turn], slot, &done[turn])))
            clg_failure_note(&job->failure, clg_queue_flush(job->queue));
        turn = (turn + 1) % SLOTS_A_THREAD;
    }
    for (int i = 0; i < SLOTS_A_THREAD; i++, turn = (turn + 1) % SLOTS_A_THREAD)
        end_one(job, &piece[turn], job->slots[who][turn], &done[turn]);
}

/* ---- Slots ---- */

/* Columns that fill a slot, or a part of one. */
static void cut(struct job *job) {
    const struct clg_strided *m = job->matrix;
    job->rows = least(m->column, job->slot / job->element * job->element);
    job->columns = least(m->columns, job->slot / job->rows);
    job->down = (m->column + job->rows - 1) / job->rows;
    job->pieces = job->down * ((m->columns + job->columns - 1) / job->columns);
}

/* Slots of that many chunks for as many threads as possible. */
static void hand_out(struct job *job, const struct clg_staging_chunk *chunk, int chunks) {
    const int each = (int)(CLG_STAGING_CHUNK / job->slot);
    job->threads = least((size_t)job->threads, (size_t)(each * chunks / SLOTS_A_THREAD));
    for (int i = 0; i < job->threads * SLOTS_A_THREAD; i++)
        job->slots[i / SLOTS_A_THREAD][i % SLOTS_A_THREAD] =
            (char *)chunk[i / each].memory + (size_t)(i % each) * job->slot;
}

static clgemm_status transfer(struct clg_device *device, struct job *job) {
    struct clg_staging_chunk chunk[CLG_STAGING_MOST];
    const int each = (int)(CLG_STAGING_CHUNK / job->slot);
    const int needed = (job->threads * SLOTS_A_THREAD + each - 1) / each;
    const int chunks = clg_staging_take(device, job->queue, needed, chunk);
    struct clg_staging_chunk other = {NULL, NULL};
    hand_out(job, chunk, chunks);
    if (!job->threads) { /* without pinned memory */
        job->threads = 1;
        if (!(other.memory = malloc(CLG_STAGING_CHUNK)))
            return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory to transfer a matrix through");
        hand_out(job, &other, 1);
    }
    cut(job);
    clg_workers_run(job->threads > 1 ? clg_device_workers(device) : NULL, job->threads - 1, work,
                    job);
    const clgemm_status status = clg_failure_end(&job->failure);
    if (status) /* commands may still use the slots */
        clg_queue_drain(job->queue);
    clg_staging_give(device, job->queue, chunk, chunks, !status);
    free(other.memory);
    return status;
}

clgemm_status clg_staged_transfer(struct clg_device *device, cl_command_queue queue,
                                  enum clg_direction direction, const struct clg_strided *matrix,
                                  size_t element, enum clg_part part, void *memory) {
    const double bytes = (double)matrix->column * (double)matrix->columns;
    const int processors = clg_thread_processors();
    const struct clg_copying copying =
        clg_copying_of(bytes, processors < CLG_PIPE_THREADS ? processors : CLG_PIPE_THREADS);
    struct job job = {.queue = queue,
                      .direction = direction,
                      .matrix = matrix,
                      .element = element,
                      .part = part,
                      .memory = memory,
                      .slot = least(copying.piece, CLG_STAGING_CHUNK / SLOTS_A_THREAD),
                      .threads = copying.threads};
    if (bytes > 0 && direction == CLG_TO_HOST && part == CLG_PART_ALL)
        clg_pages_prepare(memory, (matrix->columns - 1) * matrix->host_pitch + matrix->column);
    return bytes > 0 ? transfer(device, &job) : CLGEMM_SUCCESS;
}
