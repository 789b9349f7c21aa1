/* SPDX-License-Identifier: Apache-2.0
 * symm and hemm: C := alpha A B + beta C, or alpha B A + beta C, with A symmetric or Hermitian.
 *
 * A CPU mirrors A as it packs it. Elsewhere a slab of A's columns at a time is written out whole,
 * so that the workspace is bounded, and multiplied with the same rows of B. The other side is this
 * one with all matrices transposed. */
#include "base/checked.h"
#include "routine/routine.h"

/* A slab is at most this deep: reading and writing C again takes little beside the product. */
enum { SLAB = 2048, SQUARE = 32 };

/* The depth for which a slab takes at most half of the workspace that a call may take. */
static int64_t slab_of(const struct clg_ops *ops, int64_t side) {
    const struct clg_call *call = &ops->routine->call;
    const double column = (double)side * (double)clg_type_size(call->type) *
                          (double)(call->batch > 1 ? call->batch : 1);
    const double most = (double)ops->facts->workspace_max / 2 / column;
    int64_t slab = clg_least(side, SLAB);
    if (most < (double)slab)
        slab = (int64_t)most / SQUARE * SQUARE;
    return slab > SQUARE ? slab : SQUARE;
}

void clg_routine_symmetric(struct clg_ops *ops) {
    const struct clg_routine *r = ops->routine;
    const struct clg_scalars *scalars = &r->call.scalars;
    const struct clg_factor alpha = {scalars->alpha, scalars->alpha_imag}, one = {1, 0};
    struct clg_factor beta = {scalars->beta, scalars->beta_imag};
    struct clg_view a = clg_routine_view(r, CLG_A), b = clg_routine_view(r, CLG_B),
                    c = clg_routine_view(r, CLG_C);
    int64_t m = r->call.m, n = r->call.n;
    bool upper = r->upper;
    if (!r->left) {
        a = clg_view_turned(a), b = clg_view_turned(b), c = clg_view_turned(c);
        m = r->call.n, n = r->call.m;
        upper = !upper;
    }
    if (clg_ops_take_triangles(ops)) {
        struct clg_op *op = clg_ops_product(ops, m, n, m, alpha, a, b, beta, c);
        clg_op_take_triangle(op, upper, &c)->mirrored = true;
        return;
    }
    const int64_t slab = slab_of(ops, m);
    for (int64_t first = 0; first < m; first += slab) {
        const int64_t depth = clg_least(slab, m - first);
        const struct clg_view w = clg_ops_workspace(ops, m, depth);
        struct clg_op *fill = clg_ops_add(ops, CLG_OP_FILL);
        fill->m = m;
        fill->n = depth;
        fill->k = first;
        fill->view[CLG_A] = a;
        fill->view[CLG_C] = w;
        fill->upper = upper;
        clg_ops_product(ops, m, n, depth, alpha, w, clg_view_from(b, first, 0), beta, c);
        beta = one;
    }
}
