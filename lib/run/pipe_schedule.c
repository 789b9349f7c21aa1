/* SPDX-License-Identifier: Apache-2.0
 * Makes a pipeline's schedule. */
#include "run/pipe_schedule.h"

#include "base/checked.h"
#include "run/host_layout.h"
#include "run/pipe_draft.h"

enum { PLACES = 2, ALIGNMENT = 64, BLOCK_PANELS = 16, MOST_PANELS = 32 };

/* A place for slabs of A or B while the blocks of C change. */
struct place {
    int64_t outer, p;
    int last; /* the last step that used it, or -1 */
    bool used;
};

struct maker {
    struct clg_pipe_draft draft;
    const struct clg_problem *problem;
    struct clg_pipe_way way;
    bool even; /* all slabs have the same depth */
    bool has_beta;
    int64_t place_elements[CLG_MATRICES]; /* 0: no slab is loaded twice */
    struct place places[CLG_MATRICES][PLACES];
    int64_t next[CLG_MATRICES]; /* next free element of a buffer */
};

/* A block of C. Each block is in the same place as the one before it. */
struct block {
    int64_t i, j, m, n;
    int after; /* pieces that must have been transferred down before: those of earlier blocks */
};

static int64_t least(int64_t x, int64_t y) {
    return x < y ? x : y;
}

/* ---- Parts of matrices ---- */

/* The rows of op(A) or columns of op(B) from `outer` on, for the steps along k from `p` on. */
static struct clg_pipe_box operand(const struct maker *m, int which, int64_t outer, int64_t outers,
                                   int64_t p, int64_t ps) {
    const bool along = (which == CLG_A) != m->problem->matrix[which].transposed;
    return (struct clg_pipe_box){.matrix = which,
                                 .row = along ? outer : p,
                                 .rows = along ? outers : ps,
                                 .col = along ? p : outer,
                                 .cols = along ? ps : outers,
                                 .products = 1};
}

/* Assigns a place to the box, after what its buffer, or the current place in it, already contains.
 */
static struct clg_matrix put(struct maker *m, const struct clg_pipe_box *box, bool fresh,
                             int last) {
    int64_t *next = &m->next[box->matrix];
    const int64_t at = clg_round_up(*next, ALIGNMENT);
    const int64_t ld = clg_host_dense_ld(m->problem->type, box->rows);
    const struct clg_matrix held = clg_pipe_hold(&m->draft, box, at, ld);
    *next = at + ld * box->cols * box->products;
    if (fresh)
        clg_pipe_load(&m->draft, box, &held, (struct clg_pipe_order){last, 0});
    return held;
}

/* The place for a slab: the one that contains it (then *fresh is false), or the least recently used
 * one. NULL if all parts are side by side. */
static struct place *place_for(struct maker *m, int which, int64_t outer, int64_t p, bool *fresh) {
    struct place *all = m->places[which], *oldest = &all[0];
    *fresh = true;
    if (!m->place_elements[which])
        return NULL;
    for (int i = 0; i < PLACES; i++) {
        if (all[i].used && all[i].outer == outer && all[i].p == p) {
            *fresh = false;
            oldest = &all[i];
            break;
        }
        if (!all[i].used || (oldest->used && all[i].last < oldest->last))
            oldest = &all[i];
    }
    m->next[which] = (oldest - all) * m->place_elements[which];
    oldest->outer = outer;
    oldest->p = p;
    return oldest;
}

/* Assigns a place to a whole slab of A or B. */
static struct clg_matrix put_slab(struct maker *m, int which, int64_t outer, int64_t outers,
                                  int64_t p, int64_t ps, struct place **place) {
    bool fresh;
    *place = place_for(m, which, outer, p, &fresh);
    const struct clg_pipe_box box = operand(m, which, outer, outers, p, ps);
    return put(m, &box, fresh, *place && (*place)->used ? (*place)->last : -1);
}

static void use(struct place *place, int step) {
    if (place) {
        place->used = true;
        place->last = step;
    }
}

/* ---- C ---- */

static struct clg_pipe_box part_of_c(int64_t i, int64_t rows, int64_t j, int64_t cols) {
    return (struct clg_pipe_box){
        .matrix = CLG_C, .row = i, .rows = rows, .col = j, .cols = cols, .products = 1};
}

/* Columns of the block from its column `j` on, in their place. */
static struct clg_matrix columns(struct maker *m, const struct block *b, int64_t j, int64_t cols) {
    const int64_t ld = clg_host_dense_ld(m->problem->type, b->m);
    const struct clg_pipe_box box = part_of_c(b->i, b->m, b->j + j, cols);
    return clg_pipe_hold(&m->draft, &box, j * ld, ld);
}

/* The length of the panel that begins at `from`, out of `length`. */
static int64_t panel_at(const struct maker *m, int64_t from, int64_t length) {
    int64_t panel = m->way.panel;
    while (m->way.tail && panel > m->way.tail && length - from < 2 * panel)
        panel = clg_round_up(panel / 2, CLG_PIPE_SIDE);
    return least(panel, length - from);
}

static void load_c(struct maker *m, const struct clg_pipe_box *box, const struct clg_matrix *held,
                   int after) {
    if (m->has_beta)
        clg_pipe_load(&m->draft, box, held, (struct clg_pipe_order){-1, after});
}

/* ---- Blocks ---- */

/* Multiplies one slab for the whole block. */
static void multiply_slab(struct maker *m, struct block *b, int64_t p, int64_t ps) {
    struct place *a_place, *b_place;
    struct clg_matrix held[CLG_MATRICES];
    held[CLG_B] = put_slab(m, CLG_B, b->j, b->n, p, ps, &b_place);
    held[CLG_A] = put_slab(m, CLG_A, b->i, b->m, p, ps, &a_place);
    held[CLG_C] = columns(m, b, 0, b->n);
    if (p == 0) {
        const struct clg_pipe_box box = part_of_c(b->i, b->m, b->j, b->n);
        load_c(m, &box, &held[CLG_C], b->after);
    }
    const int step =
        clg_pipe_multiply(&m->draft, held, b->m, b->n, ps, 1, p == 0, p == 0 ? b->after : 0);
    use(a_place, step);
    use(b_place, step);
}

/* Multiplies the rest of k in panels of columns, which are then transferred down. */
static void multiply_columns(struct maker *m, struct block *b, int64_t p) {
    struct place *a_place = NULL, *b_place = NULL;
    struct clg_matrix held[CLG_MATRICES] = {{0}};
    const int64_t ps = m->problem->k - p;
    const bool multiplies = m->problem->work == CLG_WORK_MULTIPLY;
    bool fresh = true;
    if (multiplies) {
        held[CLG_A] = put_slab(m, CLG_A, b->i, b->m, p, ps, &a_place);
        b_place = place_for(m, CLG_B, b->j, p, &fresh);
    }
    const int before = b_place && b_place->used ? b_place->last : -1;
    for (int64_t j = 0, cols; j < b->n; j += cols) {
        cols = panel_at(m, j, b->n);
        const struct clg_pipe_box c = part_of_c(b->i, b->m, b->j + j, cols);
        if (multiplies) {
            const struct clg_pipe_box box = operand(m, CLG_B, b->j + j, cols, p, ps);
            held[CLG_B] = put(m, &box, fresh, before);
        }
        held[CLG_C] = columns(m, b, j, cols);
        if (p == 0)
            load_c(m, &c, &held[CLG_C], b->after);
        const int step =
            clg_pipe_multiply(&m->draft, held, b->m, cols, ps, 1, p == 0, p == 0 ? b->after : 0);
        use(a_place, step);
        use(b_place, step);
        clg_pipe_unload(&m->draft, &c, &held[CLG_C], step);
    }
}

/* The same in panels of rows, if no place is used twice. */
static void multiply_rows(struct maker *m) {
    const struct clg_problem *p = m->problem;
    const bool multiplies = p->work == CLG_WORK_MULTIPLY;
    struct clg_matrix held[CLG_MATRICES] = {{0}};
    if (multiplies) {
        const struct clg_pipe_box box = operand(m, CLG_B, 0, p->n, 0, p->k);
        held[CLG_B] = put(m, &box, true, -1);
    }
    for (int64_t i = 0, rows; i < p->m; i += rows) {
        rows = panel_at(m, i, p->m);
        const struct clg_pipe_box c = part_of_c(i, rows, 0, p->n);
        if (multiplies) {
            const struct clg_pipe_box box = operand(m, CLG_A, i, rows, 0, p->k);
            held[CLG_A] = put(m, &box, true, -1);
        }
        held[CLG_C] = put(m, &c, m->has_beta, -1);
        const int step = clg_pipe_multiply(&m->draft, held, rows, p->n, p->k, 1, true, 0);
        clg_pipe_unload(&m->draft, &c, &held[CLG_C], step);
    }
}

/* Multiplies a batch, some products at a time. */
static void multiply_products(struct maker *m) {
    const struct clg_problem *p = m->problem;
    struct clg_matrix held[CLG_MATRICES] = {{0}};
    for (int64_t z = 0, products; z < p->batch; z += products) {
        products = panel_at(m, z, p->batch);
        struct clg_pipe_box box = {0};
        for (int i = 0; i < CLG_MATRICES; i++) {
            const struct clg_matrix *matrix = &p->matrix[i];
            const bool shared = matrix->stride == 0;
            if (!clg_work_needs(p->work, i) || (shared && z > 0))
                continue;
            box = (struct clg_pipe_box){
                i, 0, matrix->rows, 0, matrix->cols, shared ? 0 : z, shared ? 1 : products};
            held[i] = put(m, &box, i != CLG_C || m->has_beta, -1);
        }
        const int step = clg_pipe_multiply(&m->draft, held, p->m, p->n, p->k, products, true, 0);
        clg_pipe_unload(&m->draft, &box, &held[CLG_C], step);
    }
}

static void multiply_block(struct maker *m, int64_t i, int64_t rows, int64_t j, int64_t cols) {
    struct block b = {.i = i, .j = j, .m = rows, .n = cols, .after = m->draft.plan->num_down};
    const int64_t until = m->way.slab ? m->problem->k - m->way.rest : 0;
    int64_t p = 0;
    for (int64_t slab = m->way.slab, ps; p < until; p += ps) {
        ps = until - p < slab + slab / 2 ? until - p : slab;
        multiply_slab(m, &b, p, ps);
        if (!m->even)
            slab *= 2;
    }
    multiply_columns(m, &b, p);
}

static struct maker begin(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                          const struct clg_pipe_way *way, size_t slot) {
    clg_pipe_plan_clear(out);
    out->direct = task->direct;
    return (struct maker){.draft = {.plan = out, .problem = task->problem, .slot = slot},
                          .problem = task->problem,
                          .way = *way,
                          .has_beta = task->has_beta};
}

bool clg_pipe_schedule_whole(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                             const struct clg_pipe_way *way, size_t slot) {
    struct maker m = begin(out, task, way, slot);
    if (m.problem->batch > 1)
        multiply_products(&m);
    else if (way->tall)
        multiply_rows(&m);
    else
        multiply_block(&m, 0, m.problem->m, 0, m.problem->n);
    return !m.draft.short_of_memory;
}

/* ---- Blocks of C one after another ---- */

/* Elements of a slab, in one part or in panels. */
static int64_t place_elements(const struct clg_pipe_task *task, int which, int64_t outer,
                              int64_t k) {
    const bool along = (which == CLG_A) != task->problem->matrix[which].transposed;
    const int64_t rows = along ? outer : k, cols = along ? k : outer;
    return clg_round_up(clg_host_dense_ld(task->problem->type, rows) * cols, ALIGNMENT) +
           (int64_t)MOST_PANELS * ALIGNMENT;
}

void clg_pipe_blocks_elements(int64_t out[CLG_MATRICES], const struct clg_pipe_task *task,
                              const struct clg_pipe_blocks *blocks) {
    const bool multiplies = task->problem->work == CLG_WORK_MULTIPLY;
    out[CLG_A] = multiplies ? PLACES * place_elements(task, CLG_A, blocks->m, blocks->k) : 0;
    out[CLG_B] = multiplies ? PLACES * place_elements(task, CLG_B, blocks->n, blocks->k) : 0;
    out[CLG_C] = clg_host_dense_ld(task->problem->type, blocks->m) * blocks->n;
}

bool clg_pipe_schedule_blocks(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                              const struct clg_pipe_blocks *blocks, size_t slot) {
    const struct clg_problem *p = task->problem;
    const int64_t slabs = p->k > blocks->k ? (p->k - 1) / blocks->k : 0;
    const struct clg_pipe_way way = {
        .panel = clg_round_up(clg_ceil_div(blocks->n, BLOCK_PANELS), CLG_PIPE_SIDE),
        .slab = slabs ? blocks->k : 0,
        .rest = p->k - slabs * blocks->k};
    struct maker m = begin(out, task, &way, slot);
    m.even = true;
    for (int i = CLG_A; i <= CLG_B; i++)
        m.place_elements[i] =
            place_elements(task, i, i == CLG_A ? blocks->m : blocks->n, blocks->k);
    for (int64_t j = 0; j < p->n; j += blocks->n)
        for (int64_t i = 0; i < p->m; i += blocks->m)
            multiply_block(&m, i, least(blocks->m, p->m - i), j, least(blocks->n, p->n - j));
    return !m.draft.short_of_memory;
}
