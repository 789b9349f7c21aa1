/* SPDX-License-Identifier: Apache-2.0
 * trmm and trsm: B := alpha op(A) B, or alpha inv(op(A)) B, or from the right, in place (in this
 * library's calls C is what the BLAS calls B).
 *
 *     +---+---+  +---+
 *     |T1 |   |  |C1 |    T is split in halves, again and again, down to blocks that a step takes.
 *     +---+---+  +---+    To solve, C1 first, then C2 -= S C1, then C2. To multiply, C2 first,
 *     | S |T2 |  |C2 |    then C2 += S C1, then C1, so that C1 is used before it changes. If T is
 *     +---+---+  +---+    upper triangular the halves change places.
 *
 * To multiply one matrix, nothing has to wait if there is a copy of C: the blocks on the diagonal
 * are one step, which makes the copy, and the blocks below it one product of each size.
 *
 * A CPU multiplies by all of T in one product, which packs C before it writes it, and solves larger
 * blocks in panels.
 *
 * From the right it is the same with all matrices transposed. */
#include "base/checked.h"
#include "routine/routine.h"

struct triangle {
    struct clg_ops *ops;
    struct clg_view t, c;
    int64_t n; /* columns of C */
    int64_t block;
    bool upper, solves, unit, in_panels;
};

static struct clg_op *add_block(const struct triangle *t, int64_t i, int64_t m,
                                struct clg_factor alpha) {
    struct clg_op *op = clg_ops_add(t->ops, CLG_OP_BLOCK);
    const bool turns = t->upper && !t->in_panels;
    const int64_t end = turns ? i + m - 1 : i, step = turns ? -1 : 1;
    op->m = m;
    op->n = t->n;
    op->scalars.alpha = alpha.re;
    op->scalars.alpha_imag = alpha.im;
    op->solves = t->solves;
    op->unit = t->unit;
    op->upper = t->upper;
    op->in_panels = t->in_panels;
    op->view[CLG_A] = clg_view_from(t->t, end, end);
    op->view[CLG_A].row *= step;
    op->view[CLG_A].col *= step;
    op->view[CLG_C] = clg_view_from(t->c, end, 0);
    op->view[CLG_C].row *= step;
    return op;
}

/* Rows i to i + m of C. */
static void add_rows(const struct triangle *t, int64_t i, int64_t m, struct clg_factor alpha) {
    const struct clg_factor one = {1, 0}, minus = {-1, 0};
    if (m <= t->block) {
        add_block(t, i, m, alpha);
        return;
    }
    const int64_t half = clg_round_up(clg_ceil_div(m, 2), t->block);
    const int64_t begin[] = {i, i + half}, rows[] = {half, m - half};
    const int used = t->upper; /* the half whose rows of C the other's product reads */
    const struct clg_view s = clg_view_from(t->t, begin[!used], begin[used]),
                          from = clg_view_from(t->c, begin[used], 0),
                          to = clg_view_from(t->c, begin[!used], 0);
    if (t->solves) {
        add_rows(t, begin[used], rows[used], alpha);
        clg_ops_product(t->ops, rows[!used], t->n, rows[used], minus, s, from, alpha, to);
        add_rows(t, begin[!used], rows[!used], one);
    } else {
        add_rows(t, begin[!used], rows[!used], alpha);
        clg_ops_product(t->ops, rows[!used], t->n, rows[used], alpha, s, from, one, to);
        add_rows(t, begin[used], rows[used], alpha);
    }
}

/* ---- To multiply with a copy ---- */

/* `count` blocks on the diagonal from row i on, and their rows of the copy. */
static void add_diagonal(const struct triangle *t, int64_t count, int64_t i, int64_t m,
                         struct clg_factor alpha, const struct clg_view *copy) {
    struct clg_op *op = add_block(t, i, m, alpha);
    op->batch = count;
    op->keeps = true;
    op->view[CLG_B] = clg_view_from(*copy, t->upper ? i + m - 1 : i, 0);
    op->view[CLG_B].stride = m * copy->row;
    op->view[CLG_A].stride = m * (t->t.row + t->t.col);
    op->view[CLG_C].stride = m * t->c.row;
    if (t->upper)
        op->view[CLG_B].row = -copy->row;
}

static void add_products(const struct triangle *t, const struct clg_below *b,
                         struct clg_factor alpha, const struct clg_view *copy) {
    const struct clg_factor one = {1, 0};
    const int64_t to = t->upper ? b->j : b->i, from = t->upper ? b->i : b->j;
    struct clg_view s = clg_view_from(t->t, to, from), x = clg_view_from(*copy, from, 0),
                    c = clg_view_from(t->c, to, 0);
    s.stride = b->apart * (s.row + s.col);
    x.stride = b->apart * x.row;
    c.stride = b->apart * c.row;
    clg_ops_product(t->ops, t->upper ? b->cols : b->rows, t->n, t->upper ? b->rows : b->cols, alpha,
                    s, x, one, c)
        ->batch = b->count;
}

static void multiply(const struct triangle *t, int64_t m, struct clg_factor alpha) {
    const int64_t whole = m / t->block, last = m % t->block;
    const bool by_rows = t->c.row != 1; /* the copy lies as C does */
    struct clg_view copy = clg_ops_workspace(t->ops, by_rows ? t->n : m, by_rows ? m : t->n);
    if (by_rows)
        copy = clg_view_turned(copy);
    if (whole)
        add_diagonal(t, whole, 0, t->block, alpha, &copy);
    if (last)
        add_diagonal(t, 1, whole * t->block, last, alpha, &copy);
    for (struct clg_below below = clg_below_start(m, t->block); clg_below_next(&below);)
        add_products(t, &below, alpha, &copy);
}

/* Whether a copy of C may be made: half of the workspace is left to the products. */
static bool can_copy(const struct clg_ops *ops) {
    const struct clg_call *call = &ops->routine->call;
    const double bytes = (double)call->m * (double)call->n * (double)clg_type_size(call->type);
    return call->batch <= 1 && bytes <= (double)ops->facts->workspace_max / 2;
}

/* ---- To multiply at once ---- */

static void multiply_at_once(const struct triangle *t, int64_t m, struct clg_factor alpha) {
    const struct clg_factor zero = {0, 0};
    struct clg_op *op = clg_ops_product(t->ops, m, t->n, m, alpha, t->t, t->c, zero, t->c);
    clg_op_take_triangle(op, t->upper, &t->c)->unit = t->unit;
}

void clg_routine_triangular(struct clg_ops *ops) {
    const struct clg_routine *r = ops->routine;
    const struct clg_factor alpha = {r->call.scalars.alpha, r->call.scalars.alpha_imag};
    struct triangle t = {.ops = ops,
                         .t = clg_routine_view(r, CLG_A),
                         .c = clg_routine_view(r, CLG_C),
                         .n = r->left ? r->call.n : r->call.m,
                         .upper = r->upper != (r->call.ta != CLGEMM_NO_TRANS),
                         .solves = r->routine == CLGEMM_TRSM,
                         .unit = r->unit};
    t.block = clg_block_side(r->call.type, t.solves, ops->facts);
    if (!r->left) {
        t.t = clg_view_turned(t.t);
        t.c = clg_view_turned(t.c);
        t.upper = !t.upper;
    }
    const int64_t m = r->left ? r->call.m : r->call.n;
    const int64_t rows = t.solves ? clg_panels_rows(ops) : 0;
    if (rows) {
        t.in_panels = true;
        t.block = rows;
    }
    if (!t.solves && clg_ops_take_triangles(ops))
        multiply_at_once(&t, m, alpha);
    else if (!t.solves && m > t.block && can_copy(ops))
        multiply(&t, m, alpha);
    else
        add_rows(&t, 0, m, alpha);
}
