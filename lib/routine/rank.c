/* SPDX-License-Identifier: Apache-2.0
 * syrk, herk, syr2k and her2k: a triangle of C := alpha X Y' + beta C, or of alpha X Y' + (alpha X
 * Y')' + beta C, where ' transposes, and for herk and her2k also conjugates.
 *
 * In syrk and herk the triangle is one product, which families for strict mode compute; then herk's
 * diagonal loses what rounding left of imaginary parts. Else the triangle is cut:
 *
 *     +--+
 *     |d |                 Blocks below the diagonal are products. Those of one size are as far
 *     +--+--+              apart as each other, so they are one batch: here of two small products
 *     |s |d |              and of one large one. A block on the diagonal is computed as a square in
 *     +--+--+--+           workspace; its triangle is added to C.
 *     |     |d |
 *     |  s  +--+--+
 *     |     |s |d |
 *     +-----+--+--+ */
#include "base/checked.h"
#include "routine/routine.h"

enum { LEAST_BLOCK = 64, TILE = 128 * 64 /* elements of C that keep a GPU's compute unit busy */ };

struct rank {
    struct clg_ops *ops;
    const struct clg_routine *r;
    struct clg_view x, y, c;
    struct clg_factor alpha, beta;
    int64_t n, k;
    bool two;    /* syr2k, her2k */
    bool herm;   /* herk, her2k of a complex type */
    bool single; /* no batch of the caller's: blocks may be one */
};

/* Adds `count` products of `rows` x `cols`: the first has C's rows from i on and columns from j on,
 * and each next one is `apart` further down the diagonal. They are one operation, or the batch of
 * the caller's is. */
static void add_products(const struct rank *k, int64_t count, int64_t apart, int64_t i,
                         int64_t rows, int64_t j, int64_t cols, const struct clg_view *square) {
    const struct clg_factor swapped = {k->alpha.re, k->herm ? -k->alpha.im : k->alpha.im},
                            one = {1, 0}, zero = {0, 0};
    const int passes = k->two && !square ? 2 : 1;
    const bool upper = k->r->upper;
    struct clg_view c = square ? *square : clg_view_from(k->c, upper ? j : i, upper ? i : j);
    if (k->single && !square)
        c.stride = apart * (c.row + c.col);
    for (int pass = 0; pass < passes; pass++) {
        struct clg_view x = pass ? k->y : k->x, y = pass ? k->x : k->y;
        x = clg_view_from(x, upper ? j : i, 0);
        y = clg_view_from(y, upper ? i : j, 0);
        if (k->single) {
            x.stride = apart * x.row;
            y.stride = apart * y.row;
        }
        struct clg_op *op = clg_ops_product(k->ops, upper ? cols : rows, upper ? rows : cols, k->k,
                                            pass ? swapped : k->alpha, x,
                                            clg_view_conjugated(clg_view_turned(y), k->herm),
                                            square ? zero
                                            : pass ? one
                                                   : k->beta,
                                            c);
        if (k->single)
            op->batch = count;
    }
}

/* Elements that a quarter of the workspace holds. */
static uint64_t room_of(const struct rank *k) {
    return k->ops->facts->workspace_max / 4 / clg_type_size(k->r->call.type);
}

/* Whether all of C's triangle can be one product: the families which have such products are strict
 * ones, to which faster modes prefer others on GPUs, but not on CPUs. A complex product has up to
 * three times as many elements as X in workspace (gemm/complex.h); without them it would be slow.
 */
static bool is_one_product(const struct rank *k) {
    const struct clg_call *call = &k->r->call;
    const double copied = 3.0 * (double)k->n * (double)k->k * (double)(k->single ? 1 : call->batch);
    return !k->two && (!clg_type_is_complex(call->type) || copied <= (double)room_of(k)) &&
           (call->math == CLGEMM_MATH_DEFAULT || call->math == CLGEMM_MATH_STRICT ||
            k->ops->facts->kind == CLG_DEVICE_CPU);
}

static void add_triangle(const struct rank *k) {
    const bool turned = k->c.row != 1;
    const struct clg_view y = clg_view_conjugated(clg_view_turned(k->y), k->herm);
    clg_ops_product(k->ops, k->n, k->n, k->k, k->alpha, k->x, y, k->beta, k->c)->triangle =
        k->r->upper != turned ? CLG_UPPER : CLG_LOWER;
    if (!k->herm)
        return;
    struct clg_op *op = clg_ops_add(k->ops, CLG_OP_MERGE);
    op->n = k->n;
    op->diagonal = true;
    op->scalars.beta = 1;
    op->view[CLG_C] = turned ? clg_view_turned(k->c) : k->c;
}

/* Adds a square in workspace, or nothing, to triangles of C on its diagonal. */
static void add_merge(const struct rank *k, int64_t count, int64_t apart, int64_t i, int64_t n,
                      int terms, const struct clg_view *square) {
    struct clg_view c = clg_view_from(k->c, i, i);
    const bool turned = c.row != 1;
    struct clg_op *op = clg_ops_add(k->ops, CLG_OP_MERGE);
    if (k->single) {
        c.stride = apart * (c.row + c.col);
        op->batch = count;
    }
    op->n = n;
    op->terms = terms;
    op->scalars.beta = k->beta.re;
    op->scalars.beta_imag = k->beta.im;
    op->upper = k->r->upper != turned;
    op->view[CLG_C] = turned ? clg_view_turned(c) : c;
    if (square)
        op->view[CLG_A] = turned ? clg_view_turned(*square) : *square;
}

/* Adds `count` blocks on the diagonal, each `n` wide. */
static void add_diagonal(const struct rank *k, int64_t count, int64_t i, int64_t n) {
    struct clg_view square = clg_ops_workspace(k->ops, n, n * count);
    if (k->single)
        square.stride = square.col * n;
    if (k->c.row != 1) /* as C lies, so that the product need not be turned */
        square = clg_view_turned(square);
    add_products(k, count, n, i, n, i, n, &square);
    add_merge(k, count, n, i, n, k->two ? 2 : 1, &square);
}

/* The width of blocks on the diagonal, of which only a triangle is used. For syr2k and her2k one
 * product is enough there, while other blocks take two: so they are as wide as workspace allows.
 * For syrk and herk they are small, but together they keep the device busy: a smaller product would
 * not be quicker. */
static int64_t block_of(const struct rank *k) {
    const struct clg_facts *facts = k->ops->facts;
    const int64_t all = k->n * (k->single ? 1 : k->r->call.batch); /* columns of all C */
    int64_t block = LEAST_BLOCK;
    while (block < k->n && (k->two ? (uint64_t)all * (uint64_t)(2 * block) <= room_of(k)
                                   : all * block < (int64_t)facts->compute_units * TILE))
        block *= 2;
    return block;
}

void clg_routine_rank(struct clg_ops *ops, enum clg_work work) {
    const struct clg_routine *r = ops->routine;
    const struct clg_scalars *scalars = &r->call.scalars;
    const bool two = r->routine == CLGEMM_SYR2K || r->routine == CLGEMM_HER2K;
    const struct rank k = {.ops = ops,
                           .r = r,
                           .x = clg_routine_view(r, CLG_A),
                           .y = clg_routine_view(r, two ? CLG_B : CLG_A),
                           .c = clg_routine_view(r, CLG_C),
                           .alpha = {scalars->alpha, scalars->alpha_imag},
                           .beta = {scalars->beta, scalars->beta_imag},
                           .n = r->call.n,
                           .k = r->call.k,
                           .two = two,
                           .herm = clg_routine_is_hermitian(r),
                           .single = r->call.batch <= 1};
    if (work == CLG_WORK_SCALE) {
        add_merge(&k, 1, 0, 0, k.n, 0, NULL);
        return;
    }
    if (is_one_product(&k)) {
        add_triangle(&k);
        return;
    }
    const int64_t block = block_of(&k);
    for (struct clg_below b = clg_below_start(k.n, block); clg_below_next(&b);)
        for (int64_t p = 0; p < (k.single ? 1 : b.count); p++)
            add_products(&k, b.count, b.apart, b.i + p * b.apart, b.rows, b.j + p * b.apart, b.cols,
                         NULL);
    const int64_t whole = k.n / block, last = k.n % block;
    for (int64_t p = 0; p < (k.single ? whole > 0 : whole); p++)
        add_diagonal(&k, k.single ? whole : 1, p * block, block);
    if (last)
        add_diagonal(&k, 1, whole * block, last);
}
