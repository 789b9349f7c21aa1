/* SPDX-License-Identifier: Apache-2.0
 * Divides a problem in host memory into blocks. */
#include "run/host_blocks.h"

#include "base/checked.h"

/* The rest is left for the plan (clg_workspace_room). */
static const double COPIES_SHARE = 0.75;

/* Bytes of all copies, and of the largest. */
struct copies {
    double all, largest;
};

static void add_copy(struct copies *copies, int64_t rows, int64_t cols, int64_t matrices,
                     clgemm_type type) {
    const double bytes = (double)clg_host_dense_ld(type, rows) * (double)cols * (double)matrices *
                         (double)clg_type_size(type);
    copies->all += bytes;
    copies->largest = bytes > copies->largest ? bytes : copies->largest;
}

static bool fit(const struct copies *copies, const struct clg_facts *facts) {
    return copies->all <= (double)facts->workspace_max * COPIES_SHARE &&
           copies->largest <= (double)facts->max_allocation;
}

/* The copies of the whole problem. */
static struct copies whole(const struct clg_host_layout *layout) {
    struct copies copies = {0, 0};
    for (int i = 0; i < CLG_MATRICES; i++) {
        const struct clg_matrix *matrix = &layout->problem.matrix[i];
        if (layout->placement[i].used && !layout->placement[i].in_place)
            add_copy(&copies, matrix->rows, matrix->cols, clg_problem_matrices(&layout->problem, i),
                     layout->problem.type);
    }
    return copies;
}

/* Adds a rows x cols part of op() of a matrix. */
static void add_operand(struct copies *copies, const struct clg_problem *problem,
                        enum clg_matrix_index which, int64_t rows, int64_t cols, int64_t batch) {
    const bool transposed = problem->matrix[which].transposed;
    add_copy(copies, transposed ? cols : rows, transposed ? rows : cols,
             problem->matrix[which].stride ? batch : 1, problem->type);
}

/* The largest copies that any block needs. */
static struct copies of_block(const struct clg_host_blocks *blocks,
                              const struct clg_problem *problem) {
    struct copies copies = {0, 0};
    add_operand(&copies, problem, CLG_C, blocks->m, blocks->n, blocks->batch);
    if (problem->work == CLG_WORK_MULTIPLY) {
        add_operand(&copies, problem, CLG_A, blocks->m, blocks->k, blocks->batch);
        add_operand(&copies, problem, CLG_B, blocks->k, blocks->n, blocks->batch);
    }
    return copies;
}

/* Halves the longest side. False if no side can be halved. `deep`: k may be halved. */
static bool halve(struct clg_host_blocks *blocks, bool deep) {
    int64_t *side = blocks->n >= blocks->m ? &blocks->n : &blocks->m;
    if (blocks->batch > 1) {
        blocks->batch = clg_ceil_div(blocks->batch, 2);
        return true;
    }
    if (deep && blocks->k > *side)
        side = &blocks->k;
    if (*side <= CLG_BLOCK_SIDE)
        return false;
    *side = clg_round_up(clg_ceil_div(*side, 2), CLG_BLOCK_SIDE);
    return true;
}

struct clg_host_blocks clg_host_blocks_choose(const struct clg_problem *problem,
                                              const struct clg_host_layout *layout,
                                              const struct clg_facts *facts) {
    struct clg_host_blocks blocks = {problem->m, problem->n, problem->k, problem->batch};
    struct copies copies = whole(layout);
    /* Elements of 16 bits would be rounded after each block along k. */
    const bool deep = problem->work == CLG_WORK_MULTIPLY && !clg_type_is_narrow(problem->type);
    while (!fit(&copies, facts) && halve(&blocks, deep))
        copies = of_block(&blocks, problem);
    return blocks;
}

bool clg_host_blocks_are_whole(const struct clg_host_blocks *blocks,
                               const struct clg_problem *problem) {
    return blocks->m == problem->m && blocks->n == problem->n && blocks->k == problem->k &&
           blocks->batch == problem->batch;
}

static int64_t least(int64_t x, int64_t y) {
    return x < y ? x : y;
}

/* Narrows matrix `which` to the rows x cols part of its op() that begins at (i, j) of product z. */
static void narrow(struct clg_problem *block, struct clg_host_matrices *at,
                   enum clg_matrix_index which, int64_t i, int64_t j, int64_t z, int64_t rows,
                   int64_t cols) {
    struct clg_matrix *matrix = &block->matrix[which];
    const int64_t first =
        z * matrix->stride + (matrix->transposed ? j + i * matrix->ld : i + j * matrix->ld);
    if (block->batch == 1)
        matrix->stride = 0;
    matrix->rows = matrix->transposed ? cols : rows;
    matrix->cols = matrix->transposed ? rows : cols;
    matrix->readable = matrix->rows;
    at->at[which] = (char *)at->at[which] + (size_t)first * clg_type_size(block->type);
}

void clg_host_block(const struct clg_host_blocks *blocks, const struct clg_problem *problem,
                    const struct clg_scalars *scalars, const struct clg_host_matrices *host,
                    struct clg_host_origin place, struct clg_problem *out,
                    struct clg_scalars *factors, struct clg_host_matrices *at) {
    *out = *problem;
    out->m = least(blocks->m, problem->m - place.i);
    out->n = least(blocks->n, problem->n - place.j);
    out->k = least(blocks->k, problem->k - place.p);
    out->batch = least(blocks->batch, problem->batch - place.z);
    *factors = *scalars;
    if (place.p > 0)
        factors->beta = 1;
    *at = *host;
    narrow(out, at, CLG_C, place.i, place.j, place.z, out->m, out->n);
    if (problem->work == CLG_WORK_MULTIPLY) { /* else A and B may be NULL */
        narrow(out, at, CLG_A, place.i, place.p, place.z, out->m, out->k);
        narrow(out, at, CLG_B, place.p, place.j, place.z, out->k, out->n);
    }
}
