/* SPDX-License-Identifier: Apache-2.0
 * Checks a call of a routine, and makes its list of operations. */
#include "routine/routine.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/checked.h"

const char *clg_routine_name(clgemm_routine routine) {
    static const char *const names[] = {
        [CLGEMM_SYMM] = "symm", [CLGEMM_HEMM] = "hemm",   [CLGEMM_SYRK] = "syrk",
        [CLGEMM_HERK] = "herk", [CLGEMM_SYR2K] = "syr2k", [CLGEMM_HER2K] = "her2k",
        [CLGEMM_TRMM] = "trmm", [CLGEMM_TRSM] = "trsm"};
    return routine >= CLGEMM_SYMM && routine <= CLGEMM_TRSM ? names[routine] : NULL;
}

static bool is_symmetric(const struct clg_routine *r) {
    return r->routine == CLGEMM_SYMM || r->routine == CLGEMM_HEMM;
}

static bool is_triangular(const struct clg_routine *r) {
    return clg_routine_is_triangular(r->routine);
}

static bool is_rank(const struct clg_routine *r) {
    return !is_symmetric(r) && !is_triangular(r);
}

static bool has_b(const struct clg_routine *r) {
    return is_symmetric(r) || r->routine == CLGEMM_SYR2K || r->routine == CLGEMM_HER2K;
}

bool clg_routine_is_hermitian(const struct clg_routine *r) {
    return clg_type_is_complex(r->call.type) &&
           (r->routine == CLGEMM_HEMM || r->routine == CLGEMM_HERK || r->routine == CLGEMM_HER2K);
}

/* ---- Checks ---- */

void clg_routine_shape(const struct clg_routine *r, int i, int64_t *rows, int64_t *cols,
                       bool *triangle) {
    const int64_t m = r->call.m, n = r->call.n, k = r->call.k;
    const int64_t side = r->left ? m : n;
    *triangle = is_rank(r) ? i == CLG_C : i == CLG_A;
    if (is_rank(r)) {
        const bool turned = r->call.ta != CLGEMM_NO_TRANS;
        *rows = i == CLG_C || !turned ? n : k;
        *cols = i == CLG_C || turned ? n : k;
    } else {
        *rows = i == CLG_A ? side : m;
        *cols = i == CLG_A ? side : n;
    }
}

bool clg_routine_needs(const struct clg_routine *r, enum clg_work work, int i) {
    return clg_work_needs(work, i) && (i != CLG_B || has_b(r));
}

/* Triangular routines have no beta: with alpha = 0, C is set to 0. */
enum clg_work clg_routine_work(const struct clg_routine *r) {
    struct clg_call call = r->call;
    if (is_rank(r))
        call.m = call.n;
    else
        call.k = 1;
    return clg_call_work(&call);
}

static bool is_transpose(const struct clg_routine *r) {
    const bool complex = clg_type_is_complex(r->call.type);
    const bool symmetric_rank = r->routine == CLGEMM_SYRK || r->routine == CLGEMM_SYR2K;
    switch (r->call.ta) {
    case CLGEMM_NO_TRANS:
        return true;
    case CLGEMM_TRANS:
        return !(is_rank(r) && clg_routine_is_hermitian(r));
    case CLGEMM_CONJ_TRANS:
        return !(complex && symmetric_rank);
    }
    return false;
}

static clgemm_status check_words(const struct clg_routine *r) {
    const struct clg_call *call = &r->call;
    if (call->layout != CLGEMM_ROW_MAJOR && call->layout != CLGEMM_COL_MAJOR)
        return clg_fail(CLGEMM_STATUS_INVALID_LAYOUT, "layout = %d is neither 101 nor 102",
                        (int)call->layout);
    if (!is_symmetric(r) && !is_transpose(r))
        return clg_fail(CLGEMM_STATUS_INVALID_TRANS_A,
                        "trans = %d is none of those that %s of this type has", (int)call->ta,
                        clg_routine_name(r->routine));
    if (call->m < 0 && !is_rank(r))
        return clg_fail(CLGEMM_STATUS_INVALID_M, "m = %" PRId64 " is negative", call->m);
    if (call->n < 0)
        return clg_fail(CLGEMM_STATUS_INVALID_N, "n = %" PRId64 " is negative", call->n);
    if (call->k < 0 && is_rank(r))
        return clg_fail(CLGEMM_STATUS_INVALID_K, "k = %" PRId64 " is negative", call->k);
    if (call->n > INT32_MAX || call->m > INT32_MAX || call->k > INT32_MAX)
        return clg_fail(CLGEMM_STATUS_SIZE_OVERFLOW, "a dimension exceeds an int");
    return CLGEMM_SUCCESS;
}

clgemm_status clg_routine_check(const struct clg_routine *r, enum clg_work *work) {
    struct clg_matrix matrix;
    clgemm_status status = check_words(r);
    *work = clg_routine_work(r);
    for (int i = 0; i < CLG_MATRICES && !status; i++) {
        int64_t rows, cols;
        bool triangle;
        clg_routine_shape(r, i, &rows, &cols, &triangle);
        if (i != CLG_B || has_b(r))
            status =
                clg_matrix_check(&matrix, &r->call, i, rows, cols, clg_routine_needs(r, *work, i));
    }
    return status;
}

/* ---- The list ---- */

struct clg_view clg_routine_view(const struct clg_routine *r, enum clg_matrix_index which) {
    const struct clg_operand *operand = &r->call.operand[which];
    const bool by_rows = r->call.layout == CLGEMM_ROW_MAJOR;
    const struct clg_view view = {.place = (int)which,
                                  .row = by_rows ? operand->ld : 1,
                                  .col = by_rows ? 1 : operand->ld,
                                  .stride = operand->stride};
    if (which == CLG_C || is_symmetric(r) || r->call.ta == CLGEMM_NO_TRANS)
        return view;
    return clg_view_conjugated(clg_view_turned(view), r->call.ta == CLGEMM_CONJ_TRANS);
}

struct clg_op *clg_ops_add(struct clg_ops *ops, enum clg_op_kind kind) {
    if (!clg_array_reserve(&ops->list, &ops->room, ops->count + 1, sizeof *ops->list)) {
        ops->short_of_memory = true;
        return &ops->unused;
    }
    struct clg_op *op = &ops->list[ops->count++];
    *op = (struct clg_op){.kind = kind,
                          .batch = ops->routine->call.batch > 1 ? ops->routine->call.batch : 1};
    op->hermitian = clg_routine_is_hermitian(ops->routine);
    return op;
}

struct clg_op *clg_ops_product(struct clg_ops *ops, int64_t m, int64_t n, int64_t k,
                               struct clg_factor alpha, struct clg_view a, struct clg_view b,
                               struct clg_factor beta, struct clg_view c) {
    const bool turned = c.row != 1;
    struct clg_op *op = clg_ops_add(ops, CLG_OP_PRODUCT);
    op->m = turned ? n : m;
    op->n = turned ? m : n;
    op->k = k;
    op->scalars = (struct clg_scalars){alpha.re, beta.re, alpha.im, beta.im};
    op->view[CLG_A] = turned ? clg_view_turned(b) : a;
    op->view[CLG_B] = turned ? clg_view_turned(a) : b;
    op->view[CLG_C] = turned ? clg_view_turned(c) : c;
    return op;
}

bool clg_ops_take_triangles(const struct clg_ops *ops) {
    return !ops->routine->in_blocks && ops->facts->kind == CLG_DEVICE_CPU && ops->facts->fast_fma &&
           !clg_type_is_complex(ops->routine->call.type);
}

struct clg_stored *clg_op_take_triangle(struct clg_op *op, bool upper, const struct clg_view *c) {
    const bool turned = c->row != 1;
    op->stored.triangle = upper != turned ? CLG_UPPER : CLG_LOWER;
    op->stored.which = turned ? CLG_B : CLG_A;
    return &op->stored;
}

struct clg_below clg_below_start(int64_t n, int64_t block) {
    struct clg_below below = {.n = n, .block = block, .size = block};
    while (below.size < n)
        below.size *= 2;
    below.size /= 2;
    return below;
}

bool clg_below_next(struct clg_below *b) {
    while (b->size >= b->block) {
        const int64_t size = b->size, pairs = b->n / (2 * size), left = b->n - 2 * size * pairs;
        const bool rest = b->rest;
        b->rest = !rest;
        if (rest)
            b->size /= 2;
        b->count = rest ? left > size : pairs;
        b->apart = 2 * size;
        b->j = rest ? 2 * size * pairs : 0;
        b->i = b->j + size;
        b->rows = rest ? left - size : size;
        b->cols = size;
        if (b->count)
            return true;
    }
    return false;
}

/* A CPU's caches keep few lines that are a multiple of this apart. */
enum { CONFLICT_BYTES = 1024 };

static int64_t workspace_ld(const struct clg_ops *ops, int64_t rows) {
    const int64_t ld = clg_round_up(rows, CLG_WIDEST_VECTOR);
    const int64_t bytes = ld * (int64_t)clg_type_size(ops->routine->call.type);
    const bool conflicts = ops->facts->kind == CLG_DEVICE_CPU && bytes % CONFLICT_BYTES == 0;
    return conflicts ? ld + CLG_WIDEST_VECTOR : ld;
}

struct clg_view clg_ops_workspace(struct clg_ops *ops, int64_t rows, int64_t cols) {
    const int64_t ld = workspace_ld(ops, rows);
    const int64_t batch = ops->routine->call.batch > 1 ? ops->routine->call.batch : 1;
    const uint64_t elements = (uint64_t)(ld * cols * batch);
    if (ops->workspace < elements)
        ops->workspace = elements;
    return (struct clg_view){
        .place = CLG_MATRICES, .row = 1, .col = ld, .stride = batch > 1 ? ld * cols : 0};
}

clgemm_status clg_routine_plan(struct clg_ops *out, const struct clg_routine *r,
                               const struct clg_facts *facts) {
    const enum clg_work work = clg_routine_work(r);
    const struct clg_factor alpha = {0, 0},
                            beta = {r->call.scalars.beta, r->call.scalars.beta_imag};
    const char *why = clg_type_unsupported_reason(r->call.type, facts);
    *out = (struct clg_ops){.routine = r, .facts = facts};
    if (!why && clg_type_is_soft(r->call.type, facts))
        why = "it has no arithmetic for F64, without which only gemm is computed";
    if (!why && !clg_block_side(r->call.type, false, facts))
        why = "its work-groups are too small for this routine";
    if (why)
        return clg_fail(CLGEMM_STATUS_UNSUPPORTED, "device \"%s\": %s", facts->name, why);
    if (is_rank(r))
        clg_routine_rank(out, work);
    else if (work == CLG_WORK_SCALE)
        clg_ops_product(out, r->call.m, r->call.n, 0, alpha, clg_routine_view(r, CLG_C),
                        clg_routine_view(r, CLG_C), beta, clg_routine_view(r, CLG_C));
    else if (is_symmetric(r))
        clg_routine_symmetric(out);
    else
        clg_routine_triangular(out);
    return out->short_of_memory
               ? clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for the steps of a routine")
               : CLGEMM_SUCCESS;
}

void clg_ops_free(struct clg_ops *ops) {
    free(ops->list);
    ops->list = NULL;
}
