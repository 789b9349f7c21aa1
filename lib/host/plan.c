/* SPDX-License-Identifier: Apache-2.0
 * Chooses the sizes of a pipeline's panels, slabs, blocks and pieces. */
#include "host/plan.h"

#include <stdlib.h>

#include "base/checked.h"
#include "device/staging.h"

void clg_pipe_plan_free(struct clg_pipe_plan *plan) {
    free(plan->steps);
    free(plan->up);
    free(plan->down);
    *plan = (struct clg_pipe_plan){0};
}

double clg_pipe_crossings(const struct clg_pipe_plan *plan, const struct clg_problem *problem,
                          int matrix) {
    double elements = 0;
    for (int i = 0; i < plan->num_up + plan->num_down; i++) {
        const struct clg_pipe_piece *piece =
            i < plan->num_up ? &plan->up[i] : &plan->down[i - plan->num_up];
        if (piece->matrix == matrix)
            elements += (double)piece->rows * (double)piece->cols;
    }
    return elements / ((double)problem->matrix[matrix].rows * (double)problem->matrix[matrix].cols *
                       (double)clg_problem_matrices(problem, matrix));
}

/* ---- Threads and pieces ---- */

/* For this many bytes through slots or more. More threads, or smaller pieces, cost more than they
 * save. Measured on a host with 16 cores and an H200 (docs/log/2026-11-22-h200.md, 2026-11-28 for
 * the threads, 2026-11-30 for the largest pieces). */
static const struct {
    double from;
    int threads;
    size_t piece;
} sizes[] = {{4e8, CLG_PIPE_MOST_THREADS, CLG_STAGING_CHUNK},
             {96e6, CLG_PIPE_MOST_THREADS, 2 << 20},
             {24e6, 6, 1 << 20},
             {6e6, 6, 512 << 10},
             {1.5e6, 3, 256 << 10},
             {256e3, 2, 128 << 10},
             {0, 1, 128 << 10}};

struct clg_copying clg_copying_of(double bytes, int threads) {
    size_t i = 0;
    while (bytes < sizes[i].from)
        i++;
    return (struct clg_copying){sizes[i].threads < threads ? sizes[i].threads : threads,
                                sizes[i].piece};
}

/* Bytes of the matrices in `which`, by their bits, without gaps. */
static double bytes_of(const struct clg_problem *p, unsigned which) {
    double elements = 0;
    for (int i = 0; i < CLG_MATRICES; i++)
        if (clg_work_needs(p->work, i) && which >> i & 1U)
            elements += (double)p->matrix[i].rows * (double)p->matrix[i].cols *
                        (double)clg_problem_matrices(p, i);
    return elements * (double)clg_type_size(p->type);
}

/* ---- C as one block ---- */

struct choice {
    const struct clg_pipe_task *task;
    const struct clg_pipe_speeds *speeds;
    const struct clg_pipe_limits *limits;
    struct clg_pipe_plan *plan;
    struct clg_copying copying;
    struct clg_pipe_way way;
    double seconds; /* of `way`, the best so far; negative: none */
};

/* The size of a piece. */
static const size_t NO_LIMIT = SIZE_MAX / 2;

static bool fits(const struct choice *c) {
    const double size = (double)clg_type_size(c->task->problem->type);
    double all = 0;
    for (int i = 0; i < CLG_MATRICES; i++) {
        const double bytes = (double)c->plan->elements[i] * size;
        if (bytes > (double)c->limits->largest)
            return false;
        all += bytes;
    }
    return all <= (double)c->limits->bytes;
}

/* The predicted time of a plan made of large pieces, if they are transferred in smaller ones. */
static double time_of(const struct choice *c) {
    c->plan->threads = c->copying.threads;
    c->plan->slot = c->copying.piece;
    return clg_pipe_seconds(c->plan, c->speeds);
}

/* Considers a way. The plan is made of the largest pieces, because these are few. */
static void consider(struct choice *c, const struct clg_pipe_way *way) {
    if (!clg_pipe_schedule_whole(c->plan, c->task, way, NO_LIMIT) || !fits(c))
        return;
    const double seconds = time_of(c);
    if (c->seconds < 0 || seconds < c->seconds) {
        c->seconds = seconds;
        c->way = *way;
    }
}

/* Considers a way, and the same after slabs. */
static void consider_slabs_too(struct choice *c, struct clg_pipe_way way) {
    enum { SLAB_LEAST = 128, SLAB_MOST = 1024 };
    const double worth_slabs = 2e10; /* operations */
    const struct clg_problem *p = c->task->problem;
    consider(c, &way);
    if (!clg_pipe_may_cut_k(p) || clg_problem_flops(p) < worth_slabs)
        return;
    for (way.slab = SLAB_LEAST; way.slab <= SLAB_MOST && 4 * way.slab <= p->k; way.slab *= 2) {
        way.rest = clg_round_up(p->k / 2, SLAB_LEAST);
        consider(c, &way);
    }
}

enum { LEAST_COLUMNS = 256 }; /* of a panel */

/* Rows whose part of a column crosses the bus at full speed. */
static int64_t least_rows(const struct clg_problem *p) {
    enum { RUN = 4096 }; /* bytes */
    return RUN / (int64_t)clg_type_size(p->type);
}

/* Panels of so many columns, and of as many rows or a few more, so that none has few. The tail is
 * of columns, which are rows of a transposed B. */
static struct clg_pipe_way growing(const struct clg_problem *p, int64_t panel, bool has_tail) {
    const bool turned = p->matrix[CLG_B].transposed && least_rows(p) > LEAST_COLUMNS;
    const int64_t tail = turned ? least_rows(p) : LEAST_COLUMNS;
    const int64_t rows = clg_ceil_div(p->m, p->m / panel);
    return (struct clg_pipe_way){.rows = clg_round_up(rows, CLG_PIPE_SIDE),
                                 .cols = panel,
                                 .tail = has_tail && panel > tail ? tail : 0};
}

/* Whether C may grow. The call must take much longer than planning many steps. */
static bool may_grow(const struct choice *c, int64_t panel) {
    const double least = 1e-3;
    const struct clg_problem *p = c->task->problem;
    return p->batch == 1 && p->work == CLG_WORK_MULTIPLY && c->seconds >= least &&
           panel < clg_least(p->m, p->n) && panel >= least_rows(p);
}

static bool choose_whole(struct choice *c) {
    enum { MOST_PANELS = 32, TAILED = 4 };
    const struct clg_problem *p = c->task->problem;
    const bool tall = p->batch == 1 && p->m > 2 * p->n;
    const int64_t length = p->batch > 1 ? p->batch : tall ? p->m : p->n;
    const int64_t unit = p->batch > 1 ? 1 : CLG_PIPE_SIDE;
    const int64_t least = p->batch > 1 ? 1 : tall ? least_rows(p) : LEAST_COLUMNS;
    int64_t before = 0;
    c->seconds = -1;
    for (int panels = 1; panels <= MOST_PANELS; panels *= 2) {
        int64_t panel = clg_round_up(clg_ceil_div(length, panels), unit);
        if (panel == before || (panels > 1 && panel < least))
            break;
        before = panel;
        const bool has_tail = p->batch == 1 && panels >= TAILED;
        consider_slabs_too(c, (struct clg_pipe_way){.rows = tall ? panel : 0,
                                                    .cols = tall ? p->n : panel,
                                                    .tail = has_tail && panel > least ? least : 0});
        if (may_grow(c, panel))
            consider_slabs_too(c, growing(p, panel, has_tail));
    }
    return c->seconds >= 0 && clg_pipe_schedule_whole(c->plan, c->task, &c->way, c->copying.piece);
}

/* ---- In blocks ---- */

/* Elements of A and B that are transferred. */
static double passing(const struct clg_problem *p, const struct clg_pipe_blocks *b) {
    return (double)p->m * (double)p->k * (double)clg_ceil_div(p->n, b->n) +
           (double)p->n * (double)p->k * (double)clg_ceil_div(p->m, b->m);
}

static bool blocks_fit(const struct choice *c, const struct clg_pipe_blocks *blocks) {
    clg_pipe_blocks_elements(c->plan->elements, c->task, blocks);
    return fits(c);
}

/* The blocks with that depth that transfer the least. */
static bool choose_sides(struct choice *c, int64_t depth, struct clg_pipe_blocks *best) {
    const struct clg_problem *p = c->task->problem;
    const int64_t unit = CLG_PIPE_SIDE;
    const int64_t most_rows = clg_ceil_div(p->m, unit), most_cols = clg_ceil_div(p->n, unit);
    bool found = false;
    int64_t across = most_cols; /* decreases as `down` increases */
    for (int64_t down = 1; down <= most_rows && !(found && across == 1 && down > 1); down++) {
        struct clg_pipe_blocks b = {clg_least(p->m, clg_round_up(clg_ceil_div(p->m, down), unit)),
                                    0, depth};
        int64_t low = 1, high = across + 1; /* finds the fewest that fit, by bisection */
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            b.n = clg_least(p->n, clg_round_up(clg_ceil_div(p->n, middle), unit));
            if (blocks_fit(c, &b))
                high = middle;
            else
                low = middle + 1;
        }
        if (low > across)
            continue;
        across = low;
        b.n = clg_least(p->n, clg_round_up(clg_ceil_div(p->n, across), unit));
        if (!found || passing(p, &b) < passing(p, best))
            *best = b;
        found = true;
    }
    return found;
}

/* Deeper slabs update C less often, but leave less memory for it. */
static bool choose_blocks(struct choice *c) {
    enum { DEEPEST = 4096, SHALLOWEST = 64 };
    const struct clg_problem *p = c->task->problem;
    const int64_t side = CLG_PIPE_SIDE;
    struct clg_pipe_blocks best = {clg_least(side, p->m), clg_least(side, p->n), 0}, other;
    c->seconds = -1;
    for (int64_t depth = DEEPEST; depth >= SHALLOWEST; depth /= 2) {
        const int64_t k = clg_pipe_may_cut_k(p) ? clg_least(depth, p->k) : p->k;
        best.k = best.k ? best.k : k;
        if (!choose_sides(c, k, &other) ||
            !clg_pipe_schedule_blocks(c->plan, c->task, &other, NO_LIMIT))
            continue;
        const double seconds = time_of(c);
        if (c->seconds < 0 || seconds < c->seconds) {
            c->seconds = seconds;
            best = other;
        }
    }
    return clg_pipe_schedule_blocks(c->plan, c->task, &best, c->copying.piece);
}

/* Steps of the same problem share its plan. */
static void count_kinds(struct clg_pipe_plan *plan) {
    for (int s = 0; s < plan->num_steps; s++) {
        struct clg_pipe_step *step = &plan->steps[s];
        int like = s - 1;
        while (like >= 0 && !clg_problem_equal(&plan->steps[like].problem, &step->problem))
            like--;
        step->kind = like >= 0 ? plan->steps[like].kind : plan->num_kinds++;
    }
}

static bool make_with(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                      const struct clg_pipe_speeds *speeds, const struct clg_pipe_limits *limits) {
    const struct clg_problem *problem = task->problem;
    struct choice c = {.task = task, .speeds = speeds, .limits = limits, .plan = out};
    c.copying = clg_copying_of(bytes_of(problem, ~task->direct), speeds->threads);
    if (c.copying.piece > limits->slot)
        c.copying.piece = limits->slot;
    if (!choose_whole(&c) && (problem->batch > 1 || !choose_blocks(&c)))
        return false;
    out->threads = c.copying.threads;
    out->seconds = clg_pipe_seconds(out, speeds);
    count_kinds(out);
    return true;
}

static void swap(struct clg_pipe_plan *one, struct clg_pipe_plan *other) {
    const struct clg_pipe_plan kept = *one;
    *one = *other;
    *other = kept;
}

bool clg_pipe_plan_make(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                        const struct clg_pipe_speeds *speeds,
                        const struct clg_pipe_limits *limits) {
    const double gain = 1.0 / 16; /* that more threads must bring, because they disturb others */
    const struct clg_pipe_speeds more = clg_pipe_speeds_with(speeds, speeds->more_threads);
    struct clg_pipe_plan other = {0};
    if (!make_with(out, task, speeds, limits))
        return false;
    if (out->threads == speeds->threads && more.threads > speeds->threads &&
        make_with(&other, task, &more, limits) && other.seconds < out->seconds * (1 - gain))
        swap(out, &other);
    clg_pipe_plan_free(&other);
    return true;
}

/* ---- Joint ---- */

bool clg_pipe_plan_joint(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                         const struct clg_pipe_speeds *speeds,
                         const struct clg_pipe_limits *limits) {
    const struct clg_problem *p = task->problem;
    struct choice c = {.task = task, .limits = limits, .plan = out};
    const double size = (double)clg_type_size(p->type), slot = (double)limits->slot;
    /* The first comparison ensures that the schedule's elements cannot overflow. */
    if (bytes_of(p, ~0U) > slot || !clg_pipe_schedule_joint(out, task) ||
        (double)out->elements[CLG_A] * size > slot || !fits(&c))
        return false;
    out->seconds = clg_pipe_joint_seconds(out, speeds);
    count_kinds(out);
    return true;
}

/* ---- The faster ---- */

/* Also plans a joint transfer, and keeps the faster plan. */
static bool make(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                 const struct clg_pipe_speeds *speeds, const struct clg_pipe_limits *limits) {
    struct clg_pipe_plan joint = {0};
    if (!clg_pipe_plan_make(out, task, speeds, limits))
        return false;
    if (clg_pipe_plan_joint(&joint, task, speeds, limits) && joint.seconds < out->seconds)
        swap(out, &joint);
    clg_pipe_plan_free(&joint);
    return true;
}

struct clg_problem clg_pipe_part(const struct clg_problem *problem, int64_t products) {
    struct clg_problem part = *problem;
    part.batch = products;
    for (int i = 0; i < CLG_MATRICES && products == 1; i++)
        if (clg_work_needs(part.work, i))
            part.matrix[i].stride = 0;
    return part;
}

/* Tries all products at a time, then half of them, a quarter ... */
int64_t clg_pipe_make(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                      const struct clg_facts *facts, const struct clg_pipe_speeds *speeds) {
    enum { MANY = 24 }; /* chunks that may be a slot each: a call gets three in four */
    struct clg_problem part = *task->problem;
    const int chunks = task->direct != CLG_PIPE_UNSTAGED ? clg_staging_room(facts) : 0;
    const struct clg_pipe_task some = {&part, task->has_beta,
                                       chunks ? task->direct : CLG_PIPE_UNSTAGED};
    const struct clg_pipe_limits limits = {.bytes = (uint64_t)clg_copies_room(facts),
                                           .largest = facts->max_allocation,
                                           .slot = chunks >= MANY ? CLG_STAGING_CHUNK
                                                   : chunks > 0   ? CLG_STAGING_CHUNK / 2
                                                                  : 0};
    if (part.work == CLG_WORK_NOTHING)
        return 0;
    while (!make(out, &some, speeds, &limits)) {
        if (part.batch == 1)
            return 0;
        part = clg_pipe_part(&part, clg_ceil_div(part.batch, 2));
    }
    return part.batch;
}
