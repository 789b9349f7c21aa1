/* SPDX-License-Identifier: Apache-2.0
 * Runs a pipeline.
 *
 * Each thread takes pieces in the order of the plan and copies them to or from slots. The thread
 * that then gets the token, for which no thread waits, enqueues everything that has become
 * possible: transfers of filled slots, steps whose pieces have all been sent, and transfers of
 * results into empty slots. Pieces of C that have arrived go first, because their slots block the
 * rest. */
#include "run/pipe_run.h"

#include <sched.h>
#include <time.h>

#include "base/clock.h"
#include "device/event.h"
#include "run/pipe_copy.h"

static int load(const int *from) {
    return __atomic_load_n(from, __ATOMIC_SEQ_CST);
}

static void store(int *to, int value) {
    __atomic_store_n(to, value, __ATOMIC_SEQ_CST);
}

static bool is_ready(const struct clg_pipe_transfer *transfer) {
    return __atomic_load_n(&transfer->ready, __ATOMIC_SEQ_CST);
}

/* Records the first failure, with this thread's last error as its reason. */
static bool failed(struct clg_pipe_run *r, clgemm_status status) {
    int none = CLGEMM_SUCCESS;
    if (!status)
        return false;
    char why[sizeof r->why];
    clg_copy_last_error(why, sizeof why);
    if (__atomic_compare_exchange_n(&r->status, &none, -1, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST)) {
        __builtin_memcpy(r->why, why, sizeof why);
        store(&r->status, status);
    }
    return true;
}

/* ---- Driving the device: the holder of the token ---- */

static bool can_send(const struct clg_pipe_run *r) {
    const int i = load(&r->sent);
    return i < r->plan->num_up &&
           (is_ready(&r->up[i]) || clg_pipe_is_direct(r->plan, &r->plan->up[i])) &&
           r->plan->up[i].step < load(&r->launched) && r->plan->up[i].after <= load(&r->read);
}

static bool can_launch(const struct clg_pipe_run *r) {
    const int s = load(&r->launched);
    return s < r->plan->num_steps && r->plan->steps[s].needs <= load(&r->sent) &&
           r->plan->steps[s].after <= load(&r->read);
}

static bool can_read(const struct clg_pipe_run *r) {
    const int i = load(&r->read);
    return i < r->plan->num_down && r->plan->down[i].step < load(&r->launched) &&
           (clg_pipe_is_direct(r->plan, &r->plan->down[i]) || i < r->down_slots ||
            is_ready(&r->down[i - r->down_slots]));
}

static struct clg_range range_of(const struct clg_pipe_run *r, const struct clg_pipe_piece *piece) {
    const size_t size = clg_type_size(r->problem->type);
    const int64_t elements = piece->cols == 1 ? piece->rows : piece->cols * piece->ld;
    return (struct clg_range){r->buffer[piece->matrix], (size_t)piece->at * size,
                              (size_t)elements * size};
}

static void note(const struct clg_pipe_run *r, struct clg_pipe_transfer *transfer) {
    if (r->trace)
        transfer->enqueued = clg_clock_seconds();
}

/* The place on the device of a piece that needs no slot. */
static struct clg_strided strided_of(const struct clg_pipe_run *r,
                                     const struct clg_pipe_piece *piece) {
    const size_t size = clg_type_size(r->problem->type);
    return (struct clg_strided){
        r->buffer[piece->matrix],   (size_t)piece->at * size,
        (size_t)piece->ld * size,   (size_t)r->problem->matrix[piece->matrix].ld * size,
        (size_t)piece->rows * size, (size_t)piece->cols};
}

static clgemm_status send(struct clg_pipe_run *r) {
    const int i = load(&r->sent);
    const struct clg_pipe_piece *piece = &r->plan->up[i];
    cl_event after = piece->step >= 0   ? r->ran[piece->step]
                     : piece->after > 0 ? r->down[piece->after - 1].event
                                        : NULL;
    if (clg_pipe_is_direct(r->plan, piece)) {
        const struct clg_strided to = strided_of(r, piece);
        return clg_stream_matrix_up(r->queue[CLG_PIPE_UP], &to,
                                    clg_pipe_host_place(r->problem, r->host, piece), after,
                                    &r->up[i].event);
    }
    const struct clg_range to = range_of(r, piece);
    return clg_stream_up(r->queue[CLG_PIPE_UP], &to, r->up_slot[i % r->up_slots], after,
                         &r->up[i].event);
}

static clgemm_status launch(struct clg_pipe_run *r) {
    const int s = load(&r->launched);
    const struct clg_pipe_step *step = &r->plan->steps[s];
    struct clg_arguments arguments = {.scalars = *r->scalars};
    cl_event before[2];
    struct clg_enqueue where = {r->queue[CLG_PIPE_RUN], 0, NULL};
    if (step->needs > 0)
        before[where.num_wait++] = r->up[step->needs - 1].event;
    if (step->after > 0)
        before[where.num_wait++] = r->down[step->after - 1].event;
    where.wait_list = where.num_wait ? before : NULL;
    if (!step->first)
        arguments.scalars.beta = 1;
    for (int i = 0; i < CLG_MATRICES; i++)
        arguments.memory[i].buffer = r->buffer[i];
    return clg_exec(r->device, r->prepared[step->kind], &arguments, &where,
                    r->trace ? &r->began[s] : NULL, &r->ran[s]);
}

static clgemm_status fetch(struct clg_pipe_run *r) {
    const int i = load(&r->read);
    const struct clg_pipe_piece *piece = &r->plan->down[i];
    cl_event ran = r->ran[piece->step];
    if (clg_pipe_is_direct(r->plan, piece)) {
        const struct clg_strided from = strided_of(r, piece);
        return clg_stream_matrix_down(r->queue[CLG_PIPE_DOWN], &from,
                                      clg_pipe_host_place(r->problem, r->host, piece), ran,
                                      &r->down[i].event);
    }
    const struct clg_range from = range_of(r, piece);
    return clg_stream_down(r->queue[CLG_PIPE_DOWN], &from, r->down_slot[i % r->down_slots], ran,
                           &r->down[i].event);
}

/* Sends pieces that are ready, until the next step can begin. */
static clgemm_status send_ready(struct clg_pipe_run *r) {
    clgemm_status status = CLGEMM_SUCCESS;
    bool any = false;
    for (; !status && !can_launch(r) && can_send(r); any = true)
        if (!(status = send(r))) {
            note(r, &r->up[r->sent]);
            store(&r->sent, r->sent + 1);
        }
    return !status && any ? clg_queue_flush(r->queue[CLG_PIPE_UP]) : status;
}

static clgemm_status launch_ready(struct clg_pipe_run *r) {
    clgemm_status status = CLGEMM_SUCCESS;
    bool any = false;
    for (; !status && can_launch(r); any = true)
        if (!(status = launch(r)))
            store(&r->launched, r->launched + 1);
    return !status && any ? clg_queue_flush(r->queue[CLG_PIPE_RUN]) : status;
}

static clgemm_status fetch_ready(struct clg_pipe_run *r) {
    clgemm_status status = CLGEMM_SUCCESS;
    bool any = false;
    for (; !status && can_read(r); any = true)
        if (!(status = fetch(r))) {
            note(r, &r->down[r->read]);
            store(&r->read, r->read + 1);
        }
    return !status && any ? clg_queue_flush(r->queue[CLG_PIPE_DOWN]) : status;
}

static bool can_drive(const struct clg_pipe_run *r) {
    return !load(&r->status) && (can_send(r) || can_launch(r) || can_read(r));
}

static void drive(struct clg_pipe_run *r) {
    while (can_drive(r)) {
        if (__atomic_exchange_n(&r->token, 1, __ATOMIC_SEQ_CST))
            return; /* its holder checks again after releasing it */
        while (can_drive(r)) {
            clgemm_status status = send_ready(r);
            if (!status)
                status = launch_ready(r);
            if (!status)
                status = fetch_ready(r);
            if (failed(r, status))
                break;
        }
        store(&r->token, 0);
    }
}

/* ---- Copying ---- */

/* Whether piece i of that direction has crossed the bus. The queues are in order, and only one
 * thread asks at a time. */
static bool is_through(struct clg_pipe_run *r, bool up, int i) {
    int *through = up ? &r->up_through : &r->down_through;
    int *polling = up ? &r->polling_up : &r->polling_down;
    bool done = false;
    if (load(through) > i)
        return true;
    if (load(up ? &r->sent : &r->read) <= i || __atomic_exchange_n(polling, 1, __ATOMIC_SEQ_CST))
        return false;
    failed(r, clg_event_is_done((up ? r->up : r->down)[i].event, &done));
    if (done && load(through) <= i)
        store(through, i + 1);
    store(polling, 0);
    return done;
}

static bool take(int *from, int i) {
    return __atomic_compare_exchange_n(from, &i, i + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void finish(struct clg_pipe_run *r, struct clg_pipe_transfer *transfer) {
    __atomic_store_n(&transfer->ready, true, __ATOMIC_SEQ_CST);
    drive(r);
}

static void copy(const struct clg_pipe_run *r, const struct clg_pipe_piece *piece, char *slot,
                 bool to_host, int who) {
    struct clg_pipe_span span = {CLG_LANE_THREAD, who, piece->matrix, 0, 0};
    if (r->trace)
        span.begin = clg_clock_seconds();
    clg_pipe_copy(r->problem, r->host, piece, slot, to_host);
    if (!r->trace)
        return;
    span.end = clg_clock_seconds();
    clg_pipe_trace_add(r->trace, &span);
}

/* Stores a piece of C that has been transferred down. */
static bool store_one(struct clg_pipe_run *r, int who) {
    const int i = load(&r->take_down);
    if (i >= r->plan->num_down || !is_through(r, false, i) || load(&r->status) ||
        !take(&r->take_down, i))
        return false;
    if (!clg_pipe_is_direct(r->plan, &r->plan->down[i]))
        copy(r, &r->plan->down[i], r->down_slot[i % r->down_slots], true, who);
    finish(r, &r->down[i]);
    return true;
}

/* Fills the next slot, if its previous contents have been sent. Skips a piece that needs no slot.
 */
static bool fill_one(struct clg_pipe_run *r, int who) {
    const int i = load(&r->take_up);
    if (i >= r->plan->num_up)
        return false;
    const bool direct = clg_pipe_is_direct(r->plan, &r->plan->up[i]);
    if ((!direct && i >= r->up_slots && !is_through(r, true, i - r->up_slots)) ||
        !take(&r->take_up, i))
        return false;
    if (direct)
        return true;
    copy(r, &r->plan->up[i], r->up_slot[i % r->up_slots], false, who);
    finish(r, &r->up[i]);
    return true;
}

static void pause_once(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Waits for about a microsecond, or longer if there has been nothing to do for long. Checking too
 * often delays working threads, in the driver and elsewhere. */
static void rest(int turn) {
    enum { PAUSES = 32, YIELDS = 300 };
    const struct timespec nap = {0, 20000};
    for (int i = 0; i < PAUSES; i++)
        pause_once();
    if (turn % 4 == 3 && turn < YIELDS)
        sched_yield();
    else if (turn >= YIELDS)
        nanosleep(&nap, NULL);
}

/* A single thread waits for the piece that it will copy next. The device needs nothing more from it
 * for that. */
static void wait_alone(struct clg_pipe_run *r) {
    const int down = load(&r->take_down), up = load(&r->take_up) - r->up_slots;
    if (down < load(&r->read))
        failed(r, clg_wait(r->down[down].event));
    else if (up >= 0 && up < load(&r->sent))
        failed(r, clg_wait(r->up[up].event));
}

void clg_pipe_work(void *run, int who) {
    struct clg_pipe_run *r = run;
    drive(r); /* for a step that needs no pieces */
    for (int idle = 0; !load(&r->status);) {
        if (store_one(r, who) || fill_one(r, who)) {
            idle = 0;
            continue;
        }
        if (load(&r->take_up) >= r->plan->num_up && load(&r->take_down) >= r->plan->num_down)
            break;
        if (r->plan->threads == 1)
            wait_alone(r);
        else
            rest(idle++);
    }
}
