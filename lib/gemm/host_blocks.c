/* SPDX-License-Identifier: Apache-2.0
 * A host problem in blocks. */
#include "gemm/host_blocks.h"

#include "base/checked.h"
#include "gemm/host_layout.h"

/* The rest is for the plan (clg_workspace_room). */
static const double COPIES_SHARE = 0.75;

/* Bytes of copies: of all, and of the largest. */
struct copies {
    double all, largest;
};

static void add_copy(struct copies *copies, int64_t rows, int64_t cols) {
    const double bytes = (double)clg_host_dense_ld(rows) * (double)cols * sizeof(float);
    copies->all += bytes;
    copies->largest = bytes > copies->largest ? bytes : copies->largest;
}

static bool fit(const struct copies *copies, const struct clg_facts *facts) {
    return copies->all <= (double)facts->workspace_max * COPIES_SHARE &&
           copies->largest <= (double)facts->max_allocation;
}

/* What the whole problem copies. */
static struct copies whole(const struct clg_host_layout *layout) {
    const struct clg_problem *there = &layout->problem;
    const struct clg_matrix *const matrices[] = {&there->a, &there->b, &there->c};
    struct copies copies = {0, 0};
    for (int i = 0; i < CLG_MATRICES; i++)
        if (layout->matrix[i].used && !layout->matrix[i].in_place)
            add_copy(&copies, matrices[i]->rows, matrices[i]->cols);
    return copies;
}

/* The most that a block copies, wherever it lies. */
static struct copies of_block(const struct clg_host_blocks *blocks,
                              const struct clg_problem *problem) {
    struct copies copies = {0, 0};
    add_copy(&copies, blocks->m, blocks->n);
    if (problem->work != CLG_WORK_MULTIPLY)
        return copies;
    add_copy(&copies, problem->a.transposed ? blocks->k : blocks->m,
             problem->a.transposed ? blocks->m : blocks->k);
    add_copy(&copies, problem->b.transposed ? blocks->n : blocks->k,
             problem->b.transposed ? blocks->k : blocks->n);
    return copies;
}

/* False where no side can be halved. */
static bool halve(struct clg_host_blocks *blocks, bool multiply) {
    int64_t *side = blocks->n >= blocks->m ? &blocks->n : &blocks->m;
    if (multiply && blocks->k > *side)
        side = &blocks->k;
    if (*side <= CLG_BLOCK_SIDE)
        return false;
    *side = clg_round_up(clg_ceil_div(*side, 2), CLG_BLOCK_SIDE);
    return true;
}

clgemm_status clg_host_blocks_choose(struct clg_host_blocks *out, const struct clg_problem *problem,
                                     const struct clg_host_matrices *host, bool share,
                                     const struct clg_facts *facts) {
    struct clg_host_layout layout;
    *out = (struct clg_host_blocks){problem->m, problem->n, problem->k};
    clgemm_status status =
        clg_host_layout_make(&layout, problem, host, share, facts->max_allocation);
    if (status)
        return status;
    struct copies copies = whole(&layout);
    while (!fit(&copies, facts) && halve(out, problem->work == CLG_WORK_MULTIPLY))
        copies = of_block(out, problem);
    return CLGEMM_SUCCESS;
}

static int64_t least(int64_t x, int64_t y) {
    return x < y ? x : y;
}

/* Narrows the matrix to the rows x cols part of op() of it from (i, j) on; returns the elements to
 * where that starts. */
static int64_t narrow(struct clg_matrix *matrix, int64_t i, int64_t j, int64_t rows, int64_t cols) {
    matrix->rows = matrix->transposed ? cols : rows;
    matrix->cols = matrix->transposed ? rows : cols;
    matrix->readable = matrix->rows;
    return matrix->transposed ? j + i * matrix->ld : i + j * matrix->ld;
}

void clg_host_block(const struct clg_host_blocks *blocks, const struct clg_problem *problem,
                    const struct clg_host_matrices *host, int64_t i, int64_t j, int64_t p,
                    struct clg_problem *out, struct clg_host_matrices *at) {
    *out = *problem;
    out->m = least(blocks->m, problem->m - i);
    out->n = least(blocks->n, problem->n - j);
    out->k = least(blocks->k, problem->k - p);
    if (p > 0)
        out->beta = 1;
    *at = *host;
    at->c += narrow(&out->c, i, j, out->m, out->n);
    if (problem->work == CLG_WORK_MULTIPLY) { /* else A and B may be NULL */
        at->a += narrow(&out->a, i, p, out->m, out->k);
        at->b += narrow(&out->b, p, j, out->k, out->n);
    }
}
