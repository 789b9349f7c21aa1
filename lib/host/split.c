/* SPDX-License-Identifier: Apache-2.0
 * Divides a product among devices. */
#include "host/split.h"

#include <math.h>

#include "base/checked.h"
#include "host/plan.h"

/* ---- Shares as problems ---- */

struct clg_problem clg_split_problem(const struct clg_problem *whole,
                                     const struct clg_split_share *share) {
    struct clg_problem part =
        share->products == whole->batch ? *whole : clg_pipe_part(whole, share->products);
    struct clg_matrix *a = &part.matrix[CLG_A], *b = &part.matrix[CLG_B], *c = &part.matrix[CLG_C];
    part.m = c->rows = share->rows;
    part.n = c->cols = share->cols;
    part.k = share->depth;
    *(a->transposed ? &a->cols : &a->rows) = share->rows;
    *(b->transposed ? &b->rows : &b->cols) = share->cols;
    *(a->transposed ? &a->rows : &a->cols) = share->depth;
    *(b->transposed ? &b->cols : &b->rows) = share->depth;
    if (clg_split_is_apart(share))
        *c = (struct clg_matrix){.rows = c->rows,
                                 .cols = c->cols,
                                 .ld = clg_round_up(c->rows, CLG_PIPE_SIDE),
                                 .vector = clg_type_vector(whole->type),
                                 .bulk = true};
    for (int i = 0; i < CLG_MATRICES; i++) /* what follows may be another share's */
        part.matrix[i].readable = part.matrix[i].rows;
    return part;
}

struct clg_host_matrices clg_split_matrices(const struct clg_problem *whole,
                                            const struct clg_host_matrices *matrices,
                                            const struct clg_split_share *share) {
    const struct clg_matrix *m = whole->matrix;
    const int64_t elements[CLG_MATRICES] = {
        [CLG_A] = m[CLG_A].transposed ? share->row * m[CLG_A].ld + share->k
                                      : share->row + share->k * m[CLG_A].ld,
        [CLG_B] = m[CLG_B].transposed ? share->col + share->k * m[CLG_B].ld
                                      : share->col * m[CLG_B].ld + share->k,
        [CLG_C] = share->row + share->col * m[CLG_C].ld};
    struct clg_host_matrices out = *matrices;
    for (int i = 0; i < CLG_MATRICES; i++)
        if (clg_work_needs(whole->work, i)) /* else it may be NULL */
            out.at[i] = (char *)out.at[i] + (size_t)(elements[i] + share->product * m[i].stride) *
                                                clg_type_size(whole->type);
    return out;
}

/* ---- Dividing ---- */

struct planner {
    const struct clg_problem *problem;
    clg_split_seconds *seconds;
    void *user;
    int device[CLG_DEVICES_MOST]; /* the fastest first */
    double alone[CLG_DEVICES_MOST];
    int count;
};

static struct clg_split_share whole_of(const struct clg_problem *problem, int device) {
    return (struct clg_split_share){.device = device,
                                    .rows = problem->m,
                                    .cols = problem->n,
                                    .products = problem->batch,
                                    .depth = problem->k};
}

static double seconds_of(const struct planner *p, const struct clg_split_share *share,
                         int devices) {
    const struct clg_problem part = clg_split_problem(p->problem, share);
    return p->seconds(p->user, &part, share->device, devices);
}

enum axis { COLUMNS, ROWS, PRODUCTS, SLICES };

/* Cuts a share: leaves units `from` to `to` of it along the axis. */
static void cut(struct clg_split_share *share, enum axis axis, int64_t unit, int64_t from,
                int64_t to) {
    int64_t *const begins[] = {&share->col, &share->row, &share->product, &share->k};
    int64_t *const lengths[] = {&share->cols, &share->rows, &share->products, &share->depth};
    int64_t *const begin = begins[axis], *const length = lengths[axis];
    const int64_t first = from * unit, end = clg_least(to * unit, *length);
    *begin += first;
    *length = end > first ? end - first : 0;
}

/* The units of one axis, to be dealt to the devices of a planner. */
struct line {
    const struct planner *planner;
    int devices;
    enum axis axis;
    int64_t unit, units;
};

static struct line line_of(const struct planner *planner, enum axis axis) {
    const struct clg_problem *p = planner->problem;
    const int64_t length = (const int64_t[]){p->n, p->m, p->batch, p->k}[axis];
    const int64_t unit = axis == PRODUCTS ? 1 : CLG_PIPE_SIDE;
    return (struct line){planner, planner->count, axis, unit, clg_ceil_div(length, unit)};
}

/* Seconds of the i-th device for the units `from` to `to`; 0 for none. */
static double time_of(const struct line *line, int i, int64_t from, int64_t to) {
    struct clg_split_share share = whole_of(line->planner->problem, line->planner->device[i]);
    cut(&share, line->axis, line->unit, from, to);
    return to > from ? seconds_of(line->planner, &share, line->devices) : 0;
}

/* The most units that the i-th device computes in time. */
static int64_t most_within(const struct line *line, int i, double seconds) {
    int64_t low = 0, high = line->units;
    while (low < high) {
        const int64_t middle = high - (high - low) / 2;
        if (time_of(line, i, 0, middle) <= seconds)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Gives each device what it computes in time. Returns how much more than all units that is. */
static int64_t deal(const struct line *line, double seconds, int64_t units[]) {
    int64_t all = 0;
    for (int i = 0; i < line->devices; i++)
        all += units[i] = most_within(line, i, seconds);
    return all - line->units;
}

/* Deals the units so that all devices end at about the same time: finds the time by bisection. What
 * is too much then is taken from the slowest. Even parts need no search if they end together. */
static void level(const struct line *line, int64_t units[]) {
    enum { STEPS = 24, CLOSE = 256 };
    double low = HUGE_VAL, high = 0;
    for (int i = 0; i < line->devices; i++) {
        const int64_t from = line->units * i / line->devices;
        const int64_t to = line->units * (i + 1) / line->devices;
        const double seconds = time_of(line, i, 0, to - from);
        units[i] = to - from;
        low = seconds < low ? seconds : low;
        high = seconds > high ? seconds : high;
    }
    if (low * CLOSE >= high * (CLOSE - 1))
        return;
    low = 0;
    for (int step = 0; step < STEPS && (high - low) * CLOSE > high; step++) {
        const double middle = low + (high - low) / 2;
        if (deal(line, middle, units) >= 0)
            high = middle;
        else
            low = middle;
    }
    int64_t excess = deal(line, high, units);
    for (int i = line->devices - 1; i >= 0 && excess > 0; i--) {
        const int64_t taken = clg_least(excess, units[i]);
        units[i] -= taken;
        excess -= taken;
    }
}

static void add(struct clg_split *out, const struct planner *p, struct clg_split_share *share,
                int devices) {
    if (share->rows == 0 || share->cols == 0 || share->products == 0 ||
        (share->depth == 0 && p->problem->k > 0))
        return;
    share->seconds = seconds_of(p, share, devices);
    if (share->seconds > out->seconds)
        out->seconds = share->seconds;
    out->shares[out->count++] = *share;
}

static void split_along(struct clg_split *out, const struct planner *p, enum axis axis) {
    const int devices = p->count;
    const struct line line = line_of(p, axis);
    int64_t units[CLG_DEVICES_MOST], at = 0;
    level(&line, units);
    out->count = 0;
    out->seconds = 0;
    for (int i = 0; i < devices; i++) {
        struct clg_split_share share = whole_of(p->problem, p->device[i]);
        cut(&share, axis, line.unit, at, at + units[i]);
        add(out, p, &share, devices);
        at += units[i];
    }
    if (axis == SLICES)
        out->seconds += (out->count - 1) * clg_pipe_adding_seconds(p->problem);
}

/* Whether devices may have slices of k, each with a C of its own. */
static bool may_slice(const struct clg_problem *p) {
    const double most = 64 << 20; /* bytes of a C */
    return p->work == CLG_WORK_MULTIPLY && clg_pipe_may_cut_k(p) &&
           (double)p->m * (double)p->n * (double)clg_type_size(p->type) <= most;
}

/* Even rectangles, in so many columns of them. */
static void split_grid(struct clg_split *out, const struct planner *p, int across) {
    const int devices = p->count, down = devices / across;
    const int64_t cols = line_of(p, COLUMNS).units, rows = line_of(p, ROWS).units;
    out->count = 0;
    out->seconds = 0;
    for (int i = 0; i < devices; i++) {
        struct clg_split_share share = whole_of(p->problem, p->device[i]);
        const int x = i % across, y = i / across;
        cut(&share, COLUMNS, CLG_PIPE_SIDE, cols * x / across, cols * (x + 1) / across);
        cut(&share, ROWS, CLG_PIPE_SIDE, rows * y / down, rows * (y + 1) / down);
        add(out, p, &share, devices);
    }
}

/* How many columns of rectangles move the least: each device needs its rows of op(A) and its
 * columns of op(B). */
static int best_across(const struct clg_problem *problem, int devices) {
    double least = HUGE_VAL;
    int best = devices;
    for (int across = devices; across >= 1; across--) {
        const int down = devices / across;
        const double moved = (double)problem->m * across + (double)problem->n * down;
        if (across * down == devices && moved < least) {
            least = moved;
            best = across;
        }
    }
    return best;
}

static void keep_better(struct clg_split *out, const struct clg_split *other) {
    if (other->seconds < out->seconds)
        *out = *other;
}

/* The best split among the planner's devices. Of equal ones that which moves less. */
static void split_among(struct clg_split *out, const struct planner *p) {
    const int across = best_across(p->problem, p->count);
    struct clg_split other;
    const enum axis first = across > 1 ? COLUMNS : ROWS;
    if (across > 1 && across < p->count) {
        split_grid(out, p, across);
        split_along(&other, p, first);
        keep_better(out, &other);
    } else {
        split_along(out, p, first);
    }
    split_along(&other, p, first == ROWS ? COLUMNS : ROWS);
    keep_better(out, &other);
    if (p->problem->batch > 1) {
        split_along(&other, p, PRODUCTS);
        keep_better(out, &other);
    }
    if (may_slice(p->problem)) {
        split_along(&other, p, SLICES);
        keep_better(out, &other);
    }
}

/* Sorts the devices that can compute the problem, the fastest alone first. */
static void sort(struct planner *p, int count) {
    for (int d = 0; d < count; d++) {
        const struct clg_split_share whole = whole_of(p->problem, d);
        const double alone = seconds_of(p, &whole, 1);
        int at = p->count;
        if (!(alone < HUGE_VAL))
            continue;
        for (; at > 0 && p->alone[at - 1] > alone; at--) {
            p->device[at] = p->device[at - 1];
            p->alone[at] = p->alone[at - 1];
        }
        p->device[at] = d;
        p->alone[at] = alone;
        p->count++;
    }
}

static struct planner without(const struct planner *p, int left_out) {
    struct planner out = *p;
    out.count--;
    for (int i = left_out; i < out.count; i++) {
        out.device[i] = p->device[i + 1];
        out.alone[i] = p->alone[i + 1];
    }
    return out;
}

/* The device without which the others end the soonest; of many devices, the slowest alone. */
static int least_useful(const struct planner *p) {
    enum { MANY = 8 };
    int least = p->count - 1;
    double best = HUGE_VAL;
    for (int i = p->count - 1; i >= 0 && p->count <= MANY; i--) {
        const struct planner others = without(p, i);
        struct clg_split split;
        split_among(&split, &others);
        if (split.seconds < best) {
            best = split.seconds;
            least = i;
        }
    }
    return least;
}

/* The first device of the caller's order that can compute the problem. */
static int first_of(const struct planner *p) {
    int first = p->device[0];
    for (int i = 1; i < p->count; i++)
        first = p->device[i] < first ? p->device[i] : first;
    return first;
}

void clg_split_by(struct clg_split *out, const struct clg_problem *problem, int count,
                  clg_split_seconds *seconds, void *user) {
    static const double starting = 0x1p-14; /* threads for the devices, and the wait for them */
    static const double worth = 4 * starting;
    static const double gain = 1.0 / 128; /* that makes up for what the expected times are off */
    struct planner planner = {.problem = problem, .seconds = seconds, .user = user};
    struct clg_split other;
    sort(&planner, count);
    *out = (struct clg_split){.count = 1, .alone = planner.alone[0], .seconds = planner.alone[0]};
    out->shares[0] = whole_of(problem, planner.device[0]);
    out->shares[0].seconds = out->alone;
    if (out->alone < worth) {
        out->shares[0].device = first_of(&planner);
        return;
    }
    while (planner.count > 1) {
        split_among(&other, &planner);
        other.alone = out->alone;
        other.seconds += starting;
        if (other.count > 1 && other.seconds < out->seconds * (1 - gain))
            *out = other;
        planner = without(&planner, least_useful(&planner));
    }
}
