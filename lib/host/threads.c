/* SPDX-License-Identifier: Apache-2.0
 * Runs a pipeline.
 *
 * Each thread takes pieces in the order of the plan and copies them to or from slots. The thread
 * that then gets the token, for which no thread waits, enqueues everything that has become
 * possible: transfers of filled slots, steps whose pieces have all been sent, and transfers of
 * results into empty slots. Pieces of C that have arrived go first, because their slots block the
 * rest. */
#include "host/pipeline.h"

#include <math.h>
#include <sched.h>

#include "base/clock.h"
#include "base/copy.h"
#include "device/event.h"

/* ---- Traces ---- */

static void add_span(struct clg_pipe_trace *trace, const struct clg_pipe_span *span) {
    const int at = __atomic_fetch_add(&trace->count, 1, __ATOMIC_RELAXED);
    if (at < trace->room)
        trace->spans[at] = *span;
}

/* The offset from the device's clock to the host's: a command was queued before the call that
 * enqueued it returned. */
static double shift_of(const struct clg_pipe_transfer *all, int count, double least) {
    struct clg_event_times times;
    for (int i = 0; i < count; i++)
        if (clg_event_times(all[i].event, &times))
            least = fmin(least, all[i].enqueued - times.queued);
    return least;
}

static bool add(struct clg_pipe_trace *trace, enum clg_pipe_lane lane, int matrix, cl_event first,
                cl_event last, double shift) {
    struct clg_event_times begin, end;
    if (!clg_event_times(first, &begin) || !clg_event_times(last, &end))
        return false;
    const struct clg_pipe_span span = {
        .lane = lane, .matrix = matrix, .begin = begin.start + shift, .end = end.end + shift};
    add_span(trace, &span);
    return true;
}

bool clg_pipe_trace_queues(const struct clg_pipe_run *r) {
    struct clg_pipe_trace *trace = r->trace;
    const struct clg_pipe_plan *plan = r->plan;
    const double shift = shift_of(r->down, plan->num_down, shift_of(r->up, plan->num_up, INFINITY));
    bool whole = isfinite(shift);
    for (int i = 0; i < plan->num_up && whole; i++)
        whole = add(trace, CLG_LANE_UP, plan->up[i].matrix, r->up[i].event, r->up[i].event, shift);
    for (int s = 0; s < plan->num_steps && whole; s++)
        whole = add(trace, CLG_LANE_RUN, CLG_C, r->began[s] ? r->began[s] : r->ran[s], r->ran[s],
                    shift);
    for (int i = 0; i < plan->num_down && whole; i++)
        whole = add(trace, CLG_LANE_DOWN, CLG_C, r->down[i].event, r->down[i].event, shift);
    return whole;
}

/* ---- What threads share ---- */

static int load(const int *from) {
    return __atomic_load_n(from, __ATOMIC_SEQ_CST);
}

static void store(int *to, int value) {
    __atomic_store_n(to, value, __ATOMIC_SEQ_CST);
}

static bool is_ready(const struct clg_pipe_transfer *transfer) {
    return __atomic_load_n(&transfer->ready, __ATOMIC_SEQ_CST);
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

/* The address in the host's matrix of the first element of the piece's column j. */
static void *host_place(const struct clg_host_call *call, const struct clg_pipe_piece *piece,
                        int64_t j) {
    const struct clg_matrix *matrix = &call->problem->matrix[piece->matrix];
    const int64_t product = (piece->col + j) / matrix->cols, col = (piece->col + j) % matrix->cols;
    const int64_t at = product * matrix->stride + col * matrix->ld + piece->row;
    return (char *)call->matrices->at[piece->matrix] +
           (size_t)at * clg_type_size(call->problem->type);
}

/* Transfers piece i of that direction, between its place on the device and a slot, or the matrix
 * itself if it needs none. */
static clgemm_status transfer(struct clg_pipe_run *r, enum clg_pipe_queue queue, int i,
                              cl_event after) {
    const bool up = queue == CLG_PIPE_UP;
    const struct clg_pipe_piece *piece = up ? &r->plan->up[i] : &r->plan->down[i];
    const size_t size = clg_type_size(r->call->problem->type);
    const bool direct = clg_pipe_is_direct(r->plan, piece);
    const int64_t ld = direct ? r->call->problem->matrix[piece->matrix].ld : piece->slot_ld;
    struct clg_strided place = {.buffer = r->buffer[piece->matrix],
                                .at = (size_t)piece->at * size,
                                .column = (size_t)piece->rows * size,
                                .columns = (size_t)piece->cols,
                                .pitch = (size_t)piece->ld * size,
                                .host_pitch = (size_t)ld * size};
    void *memory = direct ? host_place(r->call, piece, 0)
                   : up   ? r->up_slot[i % r->up_slots]
                          : r->down_slot[i % r->down_slots];
    if (!direct && piece->slot_ld == piece->ld) { /* gaps are sent along */
        place.column = (size_t)clg_pipe_elements(piece) * size;
        place.columns = 1;
    }
    struct clg_pipe_transfer *begun = up ? &r->up[i] : &r->down[i];
    const clgemm_status status = clg_transfer(r->queue[queue], up ? CLG_TO_DEVICE : CLG_TO_HOST,
                                              &place, memory, after, &begun->event);
    if (r->trace)
        begun->enqueued = clg_clock_seconds();
    return status;
}

static clgemm_status send(struct clg_pipe_run *r) {
    const int i = load(&r->sent);
    const struct clg_pipe_piece *piece = &r->plan->up[i];
    cl_event after = piece->step >= 0   ? r->ran[piece->step]
                     : piece->after > 0 ? r->down[piece->after - 1].event
                                        : NULL;
    return transfer(r, CLG_PIPE_UP, i, after);
}

static clgemm_status launch(struct clg_pipe_run *r) {
    const int s = load(&r->launched);
    const struct clg_pipe_step *step = &r->plan->steps[s];
    struct clg_arguments arguments = {.scalars = *r->call->scalars};
    cl_event before[2];
    struct clg_enqueue where = {r->queue[CLG_PIPE_RUN], 0, NULL};
    if (step->needs > 0)
        before[where.num_wait++] = r->up[step->needs - 1].event;
    if (step->after > 0)
        before[where.num_wait++] = r->down[step->after - 1].event;
    where.wait_list = where.num_wait ? before : NULL;
    if (!step->first)
        arguments.scalars.beta = 1, arguments.scalars.beta_imag = 0;
    for (int i = 0; i < CLG_MATRICES; i++)
        arguments.memory[i] =
            (struct clg_memory){.buffer = r->buffer[i], .offset = step->problem.matrix[i].offset};
    return clg_exec(r->device, r->prepared[step->kind], &arguments, &where,
                    r->trace ? &r->began[s] : NULL, &r->ran[s]);
}

static clgemm_status fetch(struct clg_pipe_run *r) {
    const int i = load(&r->read);
    return transfer(r, CLG_PIPE_DOWN, i, r->ran[r->plan->down[i].step]);
}

/* Enqueues all that is ready for that queue; for transfers up, until the next step can begin. */
static clgemm_status advance(struct clg_pipe_run *r, enum clg_pipe_queue queue) {
    static bool (*const can[])(const struct clg_pipe_run *r) = {can_send, can_launch, can_read};
    static clgemm_status (*const begin[])(struct clg_pipe_run * r) = {send, launch, fetch};
    int *const counts[] = {&r->sent, &r->launched, &r->read};
    clgemm_status status = CLGEMM_SUCCESS;
    bool any = false;
    for (; !status && can[queue](r) && !(queue == CLG_PIPE_UP && can_launch(r)); any = true)
        if (!(status = begin[queue](r)))
            store(counts[queue], *counts[queue] + 1);
    return !status && any ? clg_queue_flush(r->queue[queue]) : status;
}

static bool can_drive(const struct clg_pipe_run *r) {
    return !clg_failure_is_noted(&r->failure) && (can_send(r) || can_launch(r) || can_read(r));
}

static void drive(struct clg_pipe_run *r) {
    while (can_drive(r)) {
        if (__atomic_exchange_n(&r->token, 1, __ATOMIC_SEQ_CST))
            return; /* its holder checks again after releasing it */
        while (can_drive(r)) {
            clgemm_status status = CLGEMM_SUCCESS;
            for (int q = 0; q < CLG_PIPE_QUEUES && !status; q++)
                status = advance(r, (enum clg_pipe_queue)q);
            if (clg_failure_note(&r->failure, status))
                break;
        }
        store(&r->token, 0);
    }
}

/* ---- Copying ---- */

void clg_pipe_copy(const struct clg_host_call *call, const struct clg_pipe_piece *piece, char *slot,
                   bool to_host, int threads) {
    const struct clg_matrix *matrix = &call->problem->matrix[piece->matrix];
    const size_t size = clg_type_size(call->problem->type);
    const size_t pitch = (size_t)matrix->ld * size, slot_pitch = (size_t)piece->slot_ld * size;
    const bool joined = matrix->stride == matrix->ld * matrix->cols; /* as one matrix */
    for (int64_t j = 0, cols; j < piece->cols; j += cols) {
        const int64_t left = matrix->cols - (piece->col + j) % matrix->cols;
        cols = joined || left > piece->cols - j ? piece->cols - j : left;
        void *there = host_place(call, piece, j);
        char *here = slot + (size_t)j * slot_pitch;
        const size_t bytes = (size_t)piece->rows * size;
        if (to_host)
            clg_copy_columns(there, pitch, here, slot_pitch, bytes, (size_t)cols);
        else
            clg_copy_columns_for_bus(here, slot_pitch, there, pitch, bytes, (size_t)cols, threads);
    }
}

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
    clg_failure_note(&r->failure, clg_event_is_done((up ? r->up : r->down)[i].event, &done));
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
    clg_pipe_copy(r->call, piece, slot, to_host, r->plan->threads);
    if (!r->trace)
        return;
    span.end = clg_clock_seconds();
    add_span(r->trace, &span);
}

/* Stores a piece of C that has been transferred down. */
static bool store_one(struct clg_pipe_run *r, int who) {
    const int i = load(&r->take_down);
    if (i >= r->plan->num_down || !is_through(r, false, i) || clg_failure_is_noted(&r->failure) ||
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
    enum { PAUSES = 32, YIELDS = 300, NAP_NS = 20000 };
    for (int i = 0; i < PAUSES; i++)
        pause_once();
    if (turn % 4 == 3 && turn < YIELDS)
        sched_yield();
    else if (turn >= YIELDS)
        clg_nap(NAP_NS);
}

/* A single thread waits for the piece that it will copy next. The device needs nothing more from it
 * for that. */
static void wait_alone(struct clg_pipe_run *r) {
    const int down = load(&r->take_down), up = load(&r->take_up) - r->up_slots;
    if (down < load(&r->read))
        clg_failure_note(&r->failure, clg_wait(r->down[down].event));
    else if (up >= 0 && up < load(&r->sent))
        clg_failure_note(&r->failure, clg_wait(r->up[up].event));
}

void clg_pipe_work(void *run, int who) {
    struct clg_pipe_run *r = run;
    drive(r); /* for a step that needs no pieces */
    for (int idle = 0; !clg_failure_is_noted(&r->failure);) {
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
