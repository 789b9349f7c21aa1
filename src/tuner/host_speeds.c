/* SPDX-License-Identifier: Apache-2.0
 * Measures how fast host and bus are. */
#include "src/tuner/host_speeds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/copy.h"
#include "base/thread.h"
#include "device/buffer.h"
#include "device/event.h"
#include "device/staging.h"
#include "device/workspace.h"

/* Bytes of a long transfer, of a short one that shows the fixed cost, of one piece of a copy, and
 * of all copies, which caches cannot hold. Each time is the best of TURNS; the first turn, which
 * allocates, does not count. */
enum { LONG = CLG_STAGING_CHUNK, SHORT = 256 << 10, PIECE = 1 << 20, COPIED = 64 << 20 };
enum { CHUNKS = 4, TURNS = 4, MOST_THREADS = 8 };

struct bench {
    struct clg_device *device;
    cl_command_queue queue;
    struct clg_workspace lent;
    struct clg_staging_chunk chunk[CHUNKS];
    int chunks;
    char *plain; /* COPIED bytes */
    int threads; /* that copy */
    int next;    /* atomic: the next piece to be copied */
};

/* ---- The bus ---- */

/* Seconds of one transfer of `bytes`, from as many consecutive ones as all chunks hold. */
static clgemm_status time_transfers(const struct bench *b, enum clg_direction direction,
                                    size_t bytes, double *best) {
    const int count = (int)((size_t)b->chunks * LONG / bytes), each = (int)(LONG / bytes);
    clgemm_status status = CLGEMM_SUCCESS;
    *best = INFINITY;
    for (int turn = 0; turn < TURNS && !status; turn++) {
        cl_event last = NULL;
        const double start = clg_clock_seconds();
        for (int i = 0; i < count && !status; i++) {
            const struct clg_strided range = {b->lent.buffer, (size_t)(i % each) * bytes,
                                              .column = bytes, .columns = 1};
            char *memory = (char *)b->chunk[i / each].memory + range.at;
            clg_event_release(last);
            last = NULL;
            status = clg_transfer(b->queue, direction, &range, memory, NULL, &last);
        }
        if (!status && !(status = clg_queue_flush(b->queue)))
            status = clg_wait(last);
        const double seconds = (clg_clock_seconds() - start) / count;
        if (turn > 0 && seconds < *best)
            *best = seconds;
        clg_event_release(last);
    }
    return status;
}

/* ---- Copies ---- */

static void copy_pieces(void *user, int who) {
    struct bench *b = user;
    const int pieces = COPIED / PIECE, each = LONG / PIECE;
    (void)who;
    for (int i; (i = __atomic_fetch_add(&b->next, 1, __ATOMIC_SEQ_CST)) < pieces;) {
        const int place = i % (b->chunks * each);
        char *slot = (char *)b->chunk[place / each].memory + (size_t)(place % each) * PIECE;
        clg_copy_columns_for_bus(slot, PIECE, b->plain + (size_t)i * PIECE, PIECE, PIECE, 1,
                                 b->threads);
    }
}

/* Bytes a second. */
static double time_copies(struct bench *b, int threads) {
    struct clg_workers *workers = threads > 1 ? clg_device_workers(b->device) : NULL;
    double best = INFINITY;
    b->threads = threads;
    for (int turn = 0; turn < TURNS; turn++) {
        __atomic_store_n(&b->next, 0, __ATOMIC_SEQ_CST);
        const double start = clg_clock_seconds();
        clg_workers_run(workers, threads - 1, copy_pieces, b);
        const double seconds = clg_clock_seconds() - start;
        if (turn > 0 && seconds < best)
            best = seconds;
    }
    return COPIED / best;
}

/* ---- Both ---- */

static int64_t rounded(double value) {
    return value < 1 ? 1 : (int64_t)(value + 0.5);
}

static clgemm_status measure(struct bench *b, struct clg_host_speeds *out) {
    const int processors = clg_thread_processors();
    const int threads = processors < MOST_THREADS ? processors : MOST_THREADS;
    const double mega = 1e6, nano = 1e9;
    double up, down, brief;
    clgemm_status status = time_transfers(b, CLG_TO_DEVICE, LONG, &up);
    if (!status)
        status = time_transfers(b, CLG_TO_HOST, LONG, &down);
    if (!status)
        status = time_transfers(b, CLG_TO_DEVICE, SHORT, &brief);
    if (status)
        return status;
    *out = (struct clg_host_speeds){.up_mb_s = rounded(LONG / up / mega),
                                    .down_mb_s = rounded(LONG / down / mega),
                                    .transfer_ns = rounded((brief - up * SHORT / LONG) * nano),
                                    .copy_mb_s = rounded(time_copies(b, 1) / mega),
                                    .threads = threads};
    out->copy_all_mb_s = threads > 1 ? rounded(time_copies(b, threads) / mega) : out->copy_mb_s;
    return CLGEMM_SUCCESS;
}

static void end(struct bench *b, bool healthy) {
    if (!healthy)
        clg_queue_drain(b->queue);
    clg_workspace_give(b->device, &b->lent, NULL, healthy);
    clg_staging_give(b->device, b->queue, b->chunk, b->chunks, healthy);
    clg_queue_give(b->device, b->queue, healthy);
    free(b->plain);
}

clgemm_status clg_host_speeds_measure(struct clg_device *device, struct clg_host_speeds *out) {
    struct bench b = {.device = device, .plain = malloc(COPIED)};
    clgemm_status status = b.plain ? clg_queue_take(device, &b.queue) : CLGEMM_STATUS_OUT_OF_MEMORY;
    if (!status) {
        memset(b.plain, 1, COPIED);
        b.chunks = clg_staging_take(device, b.queue, CHUNKS, b.chunk);
        status = b.chunks > 0 ? clg_workspace_take(device, b.queue, LONG, &b.lent)
                              : CLGEMM_STATUS_OUT_OF_MEMORY;
    }
    if (status == CLGEMM_STATUS_OUT_OF_MEMORY)
        status = clg_fail(status, "no memory to time copies with");
    if (!status)
        status = measure(&b, out);
    end(&b, !status);
    return status;
}
