/* SPDX-License-Identifier: Apache-2.0
 * A pipeline's plan while it is being made. */
#include "run/pipe_draft.h"

#include "base/array.h"
#include "base/checked.h"
#include "run/host_layout.h"

/* Bytes of a piece without a slot. A bus reaches its full speed with a few MB. */
static const size_t DIRECT_PIECE = (size_t)32 << 20;

static int64_t least(int64_t x, int64_t y) {
    return x < y ? x : y;
}

static bool reserve(struct clg_pipe_draft *d, void *array, size_t *room, int count, size_t size) {
    if (!d->short_of_memory && !clg_array_reserve(array, room, (size_t)count + 1, size))
        d->short_of_memory = true;
    return !d->short_of_memory;
}

struct clg_matrix clg_pipe_hold(struct clg_pipe_draft *d, const struct clg_pipe_box *box,
                                int64_t at, int64_t ld) {
    struct clg_matrix held = d->problem->matrix[box->matrix];
    int64_t *elements = &d->plan->elements[box->matrix];
    const int64_t bulk = clg_type_bulk(d->problem->type);
    const int64_t end = at + ld * box->cols * box->products;
    held.rows = box->rows;
    held.cols = box->cols;
    held.ld = ld;
    held.offset = at;
    held.stride = box->products > 1 ? ld * box->cols : 0;
    held.vector = clg_type_vector(d->problem->type);
    held.bulk = at % bulk == 0 && ld % bulk == 0;
    held.readable = ld;
    *elements = *elements > end ? *elements : end;
    return held;
}

static void add_piece(struct clg_pipe_draft *d, bool up, const struct clg_pipe_piece *piece) {
    struct clg_pipe_plan *plan = d->plan;
    struct clg_pipe_piece **list = up ? &plan->up : &plan->down;
    int *count = up ? &plan->num_up : &plan->num_down;
    if (!reserve(d, list, up ? &plan->up_room : &plan->down_room, *count, sizeof **list))
        return;
    (*list)[(*count)++] = *piece;
    const size_t size = clg_type_size(d->problem->type);
    const double bytes =
        (double)(piece->cols == 1 ? piece->rows : piece->cols * piece->ld) * (double)size;
    *(up ? &plan->up_bytes : &plan->down_bytes) += bytes;
    if ((double)plan->slot < bytes && !clg_pipe_is_direct(plan, piece))
        plan->slot = (size_t)bytes;
}

static void cut(struct clg_pipe_draft *d, bool up, const struct clg_pipe_box *box,
                const struct clg_matrix *held, struct clg_pipe_order order) {
    const int64_t ld = held->ld, cols = box->cols * box->products;
    const int64_t size = (int64_t)clg_type_size(d->problem->type);
    const bool direct = d->plan->direct >> box->matrix & 1U;
    const int64_t slot = direct ? (int64_t)DIRECT_PIECE : (int64_t)d->slot;
    const int64_t elements = slot / size, unit = CLG_WIDEST_VECTOR;
    const int64_t wide = elements / ld > 1 ? elements / ld : 1;
    const int64_t high = ld <= elements ? box->rows : elements / unit * unit;
    const int64_t first = box->product * d->problem->matrix[box->matrix].cols + box->col;
    for (int64_t j = 0; j < cols; j += wide)
        for (int64_t i = 0; i < box->rows; i += high)
            add_piece(d, up,
                      &(struct clg_pipe_piece){.matrix = box->matrix,
                                               .row = box->row + i,
                                               .rows = least(high, box->rows - i),
                                               .col = first + j,
                                               .cols = least(wide, cols - j),
                                               .at = held->offset + j * ld + i,
                                               .ld = ld,
                                               .step = order.step,
                                               .after = order.after});
}

void clg_pipe_load(struct clg_pipe_draft *d, const struct clg_pipe_box *box,
                   const struct clg_matrix *held, struct clg_pipe_order order) {
    cut(d, true, box, held, order);
}

void clg_pipe_unload(struct clg_pipe_draft *d, const struct clg_pipe_box *box,
                     const struct clg_matrix *held, int step) {
    cut(d, false, box, held, (struct clg_pipe_order){step, 0});
}

int clg_pipe_multiply(struct clg_pipe_draft *d, const struct clg_matrix held[CLG_MATRICES],
                      int64_t m, int64_t n, int64_t k, int64_t batch, bool first, int after) {
    struct clg_pipe_plan *plan = d->plan;
    if (!reserve(d, &plan->steps, &plan->steps_room, plan->num_steps, sizeof *plan->steps))
        return 0;
    struct clg_pipe_step *step = &plan->steps[plan->num_steps];
    *step = (struct clg_pipe_step){
        .problem = *d->problem, .first = first, .needs = plan->num_up, .after = after};
    step->problem.m = m;
    step->problem.n = n;
    step->problem.k = k;
    step->problem.batch = batch;
    step->problem.copied = true;
    for (int i = 0; i < CLG_MATRICES; i++)
        if (clg_work_needs(d->problem->work, i))
            step->problem.matrix[i] = held[i];
    return plan->num_steps++;
}
