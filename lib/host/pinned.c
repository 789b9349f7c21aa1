/* SPDX-License-Identifier: Apache-2.0
 * Finds matrices that need no slots. */
#include "host/pipeline.h"

#include "base/clock.h"
#include "base/log.h"
#include "device/cuda.h"
#include "device/event.h"
#include "device/workspace.h"

/* Bytes of a matrix from which it is worth testing, and timing; the most bytes to time. */
enum { LEAST = 64 << 10, LEAST_TO_TIME = 256 << 10, MOST_TO_TIME = 1 << 20 };

/* If a transfer takes this many times as long as one from the driver's own pinned memory, the
 * driver stages it. (Staged transfers take 4 to 8 times as long on an H200.) */
static const double AS_PINNED = 2;

/* The matrices of a batch as one matrix. False if no single transfer can access it in place. */
static bool memory_of(struct clg_strided *out, const struct clg_problem *problem, int which) {
    const struct clg_matrix *matrix = &problem->matrix[which];
    const int64_t matrices = clg_problem_matrices(problem, which);
    const int64_t size = (int64_t)clg_type_size(problem->type);
    if (!clg_work_needs(problem->work, which) ||
        (matrices > 1 && matrix->stride != matrix->ld * matrix->cols) ||
        matrix->ld * size > INT32_MAX) /* copy engines accept no larger pitch (device/buffer.c) */
        return false;
    *out = (struct clg_strided){.column = (size_t)(matrix->rows * size),
                                .columns = (size_t)(matrix->cols * matrices),
                                .host_pitch = (size_t)(matrix->ld * size)};
    return out->column * out->columns >= LEAST;
}

/* ---- Timing ---- */

struct trial {
    struct clg_device *device;
    cl_command_queue queue;
    struct clg_workspace lent;
    struct clg_staging_chunk chunk;
    int chunks;
};

enum { WAYS = 2, TURNS = 4 };

/* Finds the fastest of a few transfers of either kind. The first ones create what the driver then
 * keeps. */
static clgemm_status time_both(const struct trial *t, const struct clg_strided *there, void *memory,
                               double best[WAYS]) {
    const struct clg_strided range = {
        .buffer = there->buffer, .column = there->column * there->columns, .columns = 1};
    clgemm_status status = CLGEMM_SUCCESS;
    for (int turn = 0; turn < WAYS * TURNS && !status; turn++) {
        double *kept = &best[turn % WAYS];
        cl_event event = NULL;
        const double start = clg_clock_seconds();
        status = clg_transfer(t->queue, CLG_TO_DEVICE, turn % WAYS ? there : &range,
                              turn % WAYS ? memory : t->chunk.memory, NULL, &event);
        if (!status)
            status = clg_wait(event);
        const double took = clg_clock_seconds() - start;
        *kept = turn < WAYS || took < *kept ? took : *kept;
        clg_event_release(event);
    }
    return status;
}

static void end(struct trial *t, bool healthy) {
    if (!healthy)
        clg_queue_drain(t->queue);
    clg_workspace_give(t->device, &t->lent, NULL, healthy);
    clg_staging_give(t->device, t->queue, &t->chunk, t->chunks, healthy);
    clg_queue_give(t->device, t->queue, healthy);
}

/* Times transfers as general as those of pieces: with gaps on the device, and with columns that do
 * not begin at a row of the buffer. If a driver refuses that, its memory is not used directly. */
static bool is_quick(struct clg_device *device, const struct clg_strided *whole, void *memory) {
    enum { GAP = 16, FIRST = 32 };
    struct clg_strided part = *whole;
    struct trial t = {.device = device};
    double best[WAYS] = {0};
    part.at = FIRST;
    if (part.column > MOST_TO_TIME)
        part.column = MOST_TO_TIME;
    if (part.columns > MOST_TO_TIME / part.column)
        part.columns = MOST_TO_TIME / part.column;
    part.pitch = part.column + GAP;
    clgemm_status status = clg_queue_take(device, &t.queue);
    if (!status && (t.chunks = clg_staging_take(device, t.queue, 1, &t.chunk)) == 1 &&
        !(status =
              clg_workspace_take(device, t.queue, FIRST + part.pitch * part.columns, &t.lent))) {
        part.buffer = t.lent.buffer;
        status = time_both(&t, &part, memory, best);
    }
    const bool quick = !status && t.chunks == 1 && best[1] < AS_PINNED * best[0];
    if (status)
        clg_log(CLG_LOG_PLANS, "host memory that CUDA has pinned is staged: %s",
                clgemm_last_error());
    else if (t.chunks == 1)
        clg_log(CLG_LOG_PLANS,
                "host memory that CUDA has pinned is %s: %.1f us directly, %.1f us staged, "
                "for %zu bytes",
                quick ? "transferred directly" : "staged", 1e6 * best[1], 1e6 * best[0],
                part.column * part.columns);
    end(&t, !status);
    return quick;
}

/* Whether memory that this context has pinned is fast. For an unknown context, times it. */
static bool is_known_quick(struct clg_host *host, const void *owner,
                           const struct clg_strided *whole, void *memory) {
    struct clg_pinned_owner *found = NULL;
    bool quick = false;
    pthread_mutex_lock(&host->lock);
    for (int i = 0; i < host->num_pinned && !found; i++)
        if (host->pinned[i].owner == owner)
            found = &host->pinned[i];
    if (found) {
        quick = found->quick;
    } else if (host->num_pinned < CLG_PINNED_OWNERS &&
               whole->column * whole->columns >= LEAST_TO_TIME) {
        quick = is_quick(host->engine->device, whole, memory);
        host->pinned[host->num_pinned++] = (struct clg_pinned_owner){owner, quick};
    }
    pthread_mutex_unlock(&host->lock);
    return quick;
}

unsigned clg_pipe_find_direct(struct clg_host *host, const struct clg_host_call *call) {
    unsigned direct = 0;
    if (!host->engine->device->facts.capability) /* only NVIDIA's devices have one */
        return 0;
    for (int i = 0; i < CLG_MATRICES; i++) {
        struct clg_strided whole;
        char *memory = call->matrices->at[i];
        const void *owner;
        if (memory_of(&whole, call->problem, i) &&
            clg_cuda_pins(memory,
                          memory + (whole.columns - 1) * whole.host_pitch + whole.column - 1,
                          &owner) &&
            is_known_quick(host, owner, &whole, memory))
            direct |= 1U << i;
    }
    return direct;
}
