/* SPDX-License-Identifier: Apache-2.0
 * Makes a pipeline's schedule: cuts matrices into pieces, and lists the products that they form. */
#include "host/plan.h"

#include "base/array.h"
#include "base/checked.h"
#include "host/buffers.h"

enum { PLACES = 2, ALIGNMENT = 64, BLOCK_PANELS = 16, MOST_PANELS = 32 };

/* Bytes of a piece without a slot: a bus reaches its full speed with a few MB. The most bytes from
 * one of its columns to the next: copy engines accept no more (device/buffer.c). */
static const int64_t DIRECT_PIECE = 32 << 20, DIRECT_PITCH = INT32_MAX;

/* A place for slabs of A or B while the blocks of C change. */
struct place {
    int64_t outer, p;
    int last; /* the last step that used it, or -1 */
    bool used;
};

struct maker {
    struct clg_pipe_plan *plan;
    const struct clg_problem *problem;
    struct clg_pipe_way way;
    size_t slot; /* the most bytes of a piece */
    bool short_of_memory;
    bool even; /* all slabs have the same depth */
    bool has_beta;
    int64_t sent, left;                   /* elements through slots, up so far and down from here */
    int64_t place_elements[CLG_MATRICES]; /* 0: no slab is loaded twice */
    struct place places[CLG_MATRICES][PLACES];
    int64_t next[CLG_MATRICES]; /* next free element of a buffer */
};

/* A part of a stored matrix, for `products` products from `product` on; for one if they share the
 * matrix. */
struct box {
    int matrix;
    int64_t row, rows, col, cols, product, products;
};

/* A block of C. Each block is in the same place as the one before it. */
struct block {
    int64_t i, j, m, n;
    int after; /* pieces that must have been transferred down before: those of earlier blocks */
};

/* ---- Pieces and products ---- */

/* The matrix whose buffer contains the box. */
static int buffer_of(const struct maker *m, const struct box *box) {
    return m->plan->joint ? CLG_A : box->matrix;
}

static bool reserve(struct maker *m, void *array, size_t *room, int count, size_t size) {
    if (!m->short_of_memory && !clg_array_reserve(array, room, (size_t)count + 1, size))
        m->short_of_memory = true;
    return !m->short_of_memory;
}

/* The box as a matrix of a product: in its matrix's buffer from element `at` on, with columns `ld`
 * apart. */
static struct clg_matrix hold(struct maker *m, const struct box *box, int64_t at, int64_t ld) {
    struct clg_matrix held = m->problem->matrix[box->matrix];
    int64_t *elements = &m->plan->elements[buffer_of(m, box)];
    const int64_t bulk = clg_type_bulk(m->problem->type);
    const int64_t end = at + ld * box->cols * box->products;
    held.rows = box->rows;
    held.cols = box->cols;
    held.ld = ld;
    held.offset = at;
    held.stride = box->products > 1 ? ld * box->cols : 0;
    held.vector = clg_type_vector(m->problem->type);
    held.bulk = at % bulk == 0 && ld % bulk == 0;
    held.readable = ld;
    *elements = *elements > end ? *elements : end;
    return held;
}

/* Elements of a piece at most. In slots the first ones up grow, by one step each, and the last ones
 * down shrink. So little copying comes before the bus has work and after it, and then threads end
 * their pieces one after another. */
static int64_t most_elements(const struct maker *m, bool up, bool direct) {
    enum { STEPS = 8, LEAST = 64 << 10 };
    const int64_t size = (int64_t)clg_type_size(m->problem->type);
    if (direct)
        return DIRECT_PIECE / size;
    const int64_t all = (int64_t)m->slot / size, least = clg_least(all, LEAST / size);
    const int64_t step = all / STEPS > least ? all / STEPS : least;
    const int64_t outside = (up ? m->sent : m->left) / step; /* from here to the first or last */
    int64_t pieces = 0;                                      /* of 1, 2, 3 ... steps, in there */
    while (pieces < STEPS && (pieces + 1) * (pieces + 2) / 2 <= outside)
        pieces++;
    const int64_t steps = up ? pieces + 1 : pieces > 0 ? pieces : 1;
    return clg_least(all, steps * step);
}

static void add_piece(struct maker *m, bool up, const struct clg_pipe_piece *piece) {
    struct clg_pipe_plan *plan = m->plan;
    struct clg_pipe_piece **list = up ? &plan->up : &plan->down;
    int *count = up ? &plan->num_up : &plan->num_down;
    if (!reserve(m, list, up ? &plan->up_room : &plan->down_room, *count, sizeof **list))
        return;
    (*list)[(*count)++] = *piece;
    if (clg_pipe_is_direct(plan, piece))
        return;
    *(up ? &m->sent : &m->left) += (up ? 1 : -1) * piece->rows * piece->cols;
    const double bytes = (double)clg_pipe_elements(piece) * (double)clg_type_size(m->problem->type);
    if ((double)plan->slot < bytes)
        plan->slot = (size_t)bytes;
}

/* Cuts the box into pieces that are transferred up to its place, or down from it. `step` and
 * `after` are those of the pieces. */
static void cut(struct maker *m, bool up, const struct box *box, const struct clg_matrix *held,
                int step, int after) {
    const int64_t ld = held->ld, cols = box->cols * box->products;
    const int64_t slot_ld = clg_least(ld, clg_host_dense_ld(m->problem->type, box->rows));
    const int64_t size = (int64_t)clg_type_size(m->problem->type), unit = CLG_WIDEST_VECTOR;
    const struct clg_matrix *matrix = &m->problem->matrix[box->matrix];
    const bool direct = m->plan->direct >> box->matrix & 1U;
    const bool even = matrix->stride == matrix->ld * matrix->cols; /* as one matrix */
    const bool one = direct && matrix->ld > DIRECT_PITCH / size;   /* column at a time */
    const int64_t first = box->product * matrix->cols + box->col;
    for (int64_t j = 0, wide; j < cols; j += wide) {
        const int64_t left = direct && !even ? box->cols - j % box->cols : cols - j;
        const int64_t many = one ? 1 : most_elements(m, up, direct) / slot_ld;
        wide = clg_least(many > 1 ? many : 1, left);
        for (int64_t i = 0, high; i < box->rows; i += high) {
            const int64_t elements = most_elements(m, up, direct);
            high = elements < box->rows - i ? elements / unit * unit : box->rows - i;
            add_piece(m, up,
                      &(struct clg_pipe_piece){.matrix = box->matrix,
                                               .row = box->row + i,
                                               .rows = high,
                                               .col = first + j,
                                               .cols = wide,
                                               .at = held->offset + j * ld + i,
                                               .ld = ld,
                                               .slot_ld = slot_ld,
                                               .step = step,
                                               .after = after});
        }
    }
}

/* Adds the product of these matrices, which waits for all pieces so far. Returns its number.
 * `after`: the number of pieces that must have been transferred down before. */
static int multiply(struct maker *maker, const struct clg_matrix held[CLG_MATRICES], int64_t m,
                    int64_t n, int64_t k, int64_t batch, bool first, int after) {
    struct clg_pipe_plan *plan = maker->plan;
    if (!reserve(maker, &plan->steps, &plan->steps_room, plan->num_steps, sizeof *plan->steps))
        return 0;
    struct clg_pipe_step *step = &plan->steps[plan->num_steps];
    *step = (struct clg_pipe_step){
        .problem = *maker->problem, .first = first, .needs = plan->num_up, .after = after};
    step->problem.m = m;
    step->problem.n = n;
    step->problem.k = k;
    step->problem.batch = batch;
    step->problem.copied = true;
    for (int i = 0; i < CLG_MATRICES; i++)
        if (clg_work_needs(maker->problem->work, i))
            step->problem.matrix[i] = held[i];
    return plan->num_steps++;
}

/* ---- Parts of matrices ---- */

/* The rows of op(A) or columns of op(B) from `outer` on, for the steps along k from `p` on. */
static struct box operand(const struct maker *m, int which, int64_t outer, int64_t outers,
                          int64_t p, int64_t ps) {
    const bool along = (which == CLG_A) != m->problem->matrix[which].transposed;
    return (struct box){.matrix = which,
                        .row = along ? outer : p,
                        .rows = along ? outers : ps,
                        .col = along ? p : outer,
                        .cols = along ? ps : outers,
                        .products = 1};
}

/* Assigns a place to the box, after what its buffer, or the current place in it, already contains.
 */
static struct clg_matrix put(struct maker *m, const struct box *box, bool fresh, int last) {
    int64_t *next = &m->next[buffer_of(m, box)];
    const int64_t at = clg_round_up(*next, ALIGNMENT);
    const int64_t ld = clg_host_dense_ld(m->problem->type, box->rows);
    const struct clg_matrix held = hold(m, box, at, ld);
    *next = at + ld * box->cols * box->products;
    if (fresh)
        cut(m, true, box, &held, last, 0);
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

static struct clg_matrix put_slab(struct maker *m, int which, int64_t outer, int64_t outers,
                                  int64_t p, int64_t ps, struct place **place) {
    bool fresh;
    *place = place_for(m, which, outer, p, &fresh);
    const struct box box = operand(m, which, outer, outers, p, ps);
    return put(m, &box, fresh, *place && (*place)->used ? (*place)->last : -1);
}

static void use(struct place *place, int step) {
    if (place) {
        place->used = true;
        place->last = step;
    }
}

/* ---- C ---- */

static struct box part_of_c(int64_t i, int64_t rows, int64_t j, int64_t cols) {
    return (struct box){
        .matrix = CLG_C, .row = i, .rows = rows, .col = j, .cols = cols, .products = 1};
}

/* Columns of the block from its column `j` on, in their place. */
static struct clg_matrix columns(struct maker *m, const struct block *b, int64_t j, int64_t cols) {
    const int64_t ld = clg_host_dense_ld(m->problem->type, b->m);
    const struct box box = part_of_c(b->i, b->m, b->j + j, cols);
    return hold(m, &box, j * ld, ld);
}

/* The length of the panel that begins at `from`, out of `length`. */
static int64_t panel_at(int64_t panel, int64_t tail, int64_t from, int64_t length) {
    while (tail && panel > tail && length - from < 2 * panel) {
        const int64_t half = clg_round_up(panel / 2, CLG_PIPE_SIDE);
        panel = half > tail ? half : tail;
    }
    return clg_least(panel, length - from);
}

static void load_c(struct maker *m, const struct box *box, const struct clg_matrix *held,
                   int after) {
    if (m->has_beta)
        cut(m, true, box, held, -1, after);
}

/* ---- Blocks ---- */

static void multiply_slab(struct maker *m, struct block *b, int64_t p, int64_t ps) {
    struct place *a_place, *b_place;
    struct clg_matrix held[CLG_MATRICES];
    held[CLG_B] = put_slab(m, CLG_B, b->j, b->n, p, ps, &b_place);
    held[CLG_A] = put_slab(m, CLG_A, b->i, b->m, p, ps, &a_place);
    held[CLG_C] = columns(m, b, 0, b->n);
    if (p == 0) {
        const struct box box = part_of_c(b->i, b->m, b->j, b->n);
        load_c(m, &box, &held[CLG_C], b->after);
    }
    const int step = multiply(m, held, b->m, b->n, ps, 1, p == 0, p == 0 ? b->after : 0);
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
        cols = panel_at(m->way.cols, m->way.tail, j, b->n);
        const struct box c = part_of_c(b->i, b->m, b->j + j, cols);
        if (multiplies) {
            const struct box box = operand(m, CLG_B, b->j + j, cols, p, ps);
            held[CLG_B] = put(m, &box, fresh, before);
        }
        held[CLG_C] = columns(m, b, j, cols);
        if (p == 0)
            load_c(m, &c, &held[CLG_C], b->after);
        const int step = multiply(m, held, b->m, cols, ps, 1, p == 0, p == 0 ? b->after : 0);
        use(a_place, step);
        use(b_place, step);
        cut(m, false, &c, &held[CLG_C], step, 0);
    }
}

static void multiply_products(struct maker *m) {
    const struct clg_problem *p = m->problem;
    struct clg_matrix held[CLG_MATRICES] = {{0}};
    for (int64_t z = 0, products; z < p->batch; z += products) {
        products = panel_at(m->way.cols, m->way.tail, z, p->batch);
        struct box box = {0};
        for (int i = 0; i < CLG_MATRICES; i++) {
            const struct clg_matrix *matrix = &p->matrix[i];
            const bool shared = matrix->stride == 0;
            if (!clg_work_needs(p->work, i) || (shared && z > 0))
                continue;
            box = (struct box){
                i, 0, matrix->rows, 0, matrix->cols, shared ? 0 : z, shared ? 1 : products};
            held[i] = put(m, &box, i != CLG_C || m->has_beta, -1);
        }
        const int step = multiply(m, held, p->m, p->n, p->k, products, true, 0);
        cut(m, false, &box, &held[CLG_C], step, 0);
    }
}

/* ---- As C grows ---- */

/* The box as a part of what is held of the box `whole`. */
static struct clg_matrix part_of(const struct maker *m, const struct clg_matrix *held,
                                 const struct box *whole, const struct box *box) {
    const int64_t row = box->row - whole->row, col = box->col - whole->col;
    struct clg_matrix part = *held;
    part.rows = box->rows;
    part.cols = box->cols;
    part.offset += row + col * part.ld;
    part.readable = clg_least(part.readable - row, clg_host_dense_ld(m->problem->type, box->rows));
    part.bulk = part.bulk && part.offset % clg_type_bulk(m->problem->type) == 0;
    return part;
}

/* Multiplies the rest of k, with rows of A and columns of B as panels in turn: always those of
 * which the smaller share is there. */
static void multiply_growing(struct maker *m, int64_t p) {
    const struct clg_problem *all = m->problem;
    const int64_t ps = all->k - p;
    const bool grows = m->way.rows && m->way.cols < all->n; /* in both directions */
    const bool multiplies = all->work == CLG_WORK_MULTIPLY;
    const int64_t rows_tail = grows ? 0 : m->way.tail, cols_tail = grows ? m->way.tail : 0;
    const struct box whole[CLG_MATRICES] = {operand(m, CLG_A, 0, all->m, p, ps),
                                            operand(m, CLG_B, 0, all->n, p, ps),
                                            part_of_c(0, all->m, 0, all->n)};
    struct clg_matrix held[CLG_MATRICES] = {{0}}, part[CLG_MATRICES] = {{0}};
    for (int which = multiplies ? CLG_A : CLG_C; which < CLG_MATRICES; which++)
        held[which] = put(m, &whole[which], false, -1);
    for (int64_t rows = 0, cols = 0; rows < all->m || cols < all->n;) {
        const bool down = rows < all->m && (cols == all->n || rows * all->n <= cols * all->m);
        const int64_t i = down ? rows : 0, j = down ? 0 : cols;
        const int64_t high = down ? panel_at(m->way.rows, rows_tail, i, all->m) : rows;
        const int64_t wide = down ? cols : panel_at(m->way.cols, cols_tail, j, all->n);
        const struct box box[CLG_MATRICES] = {operand(m, CLG_A, i, high, p, ps),
                                              operand(m, CLG_B, j, wide, p, ps),
                                              part_of_c(i, high, j, wide)};
        const int panel = down ? CLG_A : CLG_B;
        for (int which = multiplies ? CLG_A : CLG_C; which < CLG_MATRICES; which++)
            part[which] = part_of(m, &held[which], &whole[which], &box[which]);
        if (multiplies)
            cut(m, true, &box[panel], &part[panel], -1, 0);
        *(down ? &rows : &cols) += down ? high : wide;
        if (high == 0 || wide == 0)
            continue;
        if (p == 0)
            load_c(m, &box[CLG_C], &part[CLG_C], 0);
        const int step = multiply(m, part, high, wide, ps, 1, p == 0, 0);
        cut(m, false, &box[CLG_C], &part[CLG_C], step, 0);
    }
}

/* ---- All of it ---- */

static void multiply_block(struct maker *m, int64_t i, int64_t rows, int64_t j, int64_t cols) {
    struct block b = {.i = i, .j = j, .m = rows, .n = cols, .after = m->plan->num_down};
    const int64_t until = m->way.slab ? m->problem->k - m->way.rest : 0;
    int64_t p = 0;
    for (int64_t slab = m->way.slab, ps; p < until; p += ps) {
        ps = until - p < slab + slab / 2 ? until - p : slab;
        multiply_slab(m, &b, p, ps);
        if (!m->even)
            slab *= 2;
    }
    if (m->way.rows)
        multiply_growing(m, p);
    else
        multiply_columns(m, &b, p);
}

static struct maker begin(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                          const struct clg_pipe_way *way, size_t slot) {
    *out = (struct clg_pipe_plan){.steps = out->steps,
                                  .up = out->up,
                                  .down = out->down,
                                  .steps_room = out->steps_room,
                                  .up_room = out->up_room,
                                  .down_room = out->down_room,
                                  .direct = task->direct};
    const struct clg_matrix *c = &task->problem->matrix[CLG_C];
    const int64_t matrices = clg_problem_matrices(task->problem, CLG_C);
    return (struct maker){.plan = out,
                          .problem = task->problem,
                          .way = *way,
                          .slot = slot,
                          .has_beta = task->has_beta,
                          .left = c->rows * c->cols * matrices};
}

bool clg_pipe_schedule_whole(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                             const struct clg_pipe_way *way, size_t slot) {
    struct maker m = begin(out, task, way, slot);
    if (m.problem->batch > 1)
        multiply_products(&m);
    else
        multiply_block(&m, 0, m.problem->m, 0, m.problem->n);
    return !m.short_of_memory;
}

bool clg_pipe_schedule_joint(struct clg_pipe_plan *out, const struct clg_pipe_task *task) {
    const struct clg_pipe_way way = {.cols = task->problem->batch};
    struct maker m = begin(out, task, &way, SIZE_MAX / 2);
    out->joint = true;
    out->direct = 0;
    multiply_products(&m);
    return !m.short_of_memory;
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
        .cols = clg_round_up(clg_ceil_div(blocks->n, BLOCK_PANELS), CLG_PIPE_SIDE),
        .slab = slabs ? blocks->k : 0,
        .rest = p->k - slabs * blocks->k};
    struct maker m = begin(out, task, &way, slot);
    m.even = true;
    for (int i = CLG_A; i <= CLG_B; i++)
        m.place_elements[i] =
            place_elements(task, i, i == CLG_A ? blocks->m : blocks->n, blocks->k);
    for (int64_t j = 0; j < p->n; j += blocks->n)
        for (int64_t i = 0; i < p->m; i += blocks->m)
            multiply_block(&m, i, clg_least(blocks->m, p->m - i), j,
                           clg_least(blocks->n, p->n - j));
    return !m.short_of_memory;
}
