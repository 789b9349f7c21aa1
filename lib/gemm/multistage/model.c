/* SPDX-License-Identifier: Apache-2.0
 * The multistage family's built-in parameters, with their times for tiled's model, and the choice
 * by that model. The measurements are in docs/log. */
#include <math.h>

#include "gemm/multistage/multistage.h"
#include "gemm/thin/thin.h"
#include "gemm/tiled/model.h"

/* X(use, tile m, n, k, work-items m, n, slices of the group, vectors, stages, registers, fixed,
 * round, resident, steps, scalar, resident with single elements), larger tiles first; measured on
 * an H200 (docs/log). Rows for floats with slices are for products of about one round of the units,
 * and those with steps of 8 for a short k. Rows for doubles with such steps are for batches, which
 * have many small groups. */
#define FLOAT_ROWS(X)                                                                       \
    X(ANY, 128, 256, 16, 8, 32, 0, 4, 3, 0, 8.6F, 9.0F, 1, 2469, 4939, 2469, 0.01F, 1)      \
    X(ANY, 256, 128, 16, 32, 8, 0, 4, 3, 0, 8.3F, 7.3F, 1, 2591, 5182, 2591, 0.00F, 1)      \
    X(ANY, 128, 128, 16, 16, 8, 0, 4, 3, 0, 7.7F, 8.2F, 2, 2604, 2607, 2607, 0.00F, 2)      \
    X(SINGLES, 128, 96, 16, 16, 8, 0, 4, 3, 255, 5.3F, 6.8F, 2, 1167, 1970, 1970, 0.04F, 2) \
    X(WHOLE, 128, 64, 8, 32, 4, 0, 4, 3, 0, 4.5F, 1.8F, 4, 397, 1059, 1378, 0.00F, 4)       \
    X(ANY, 128, 64, 16, 16, 8, 0, 4, 3, 0, 5.0F, 2.5F, 3, 708, 1314, 1929, 0.02F, 3)        \
    X(ANY, 64, 128, 16, 8, 16, 0, 4, 3, 0, 5.6F, 2.5F, 3, 754, 1327, 1969, 0.00F, 3)        \
    X(ANY, 128, 64, 16, 16, 8, 2, 4, 3, 0, 4.5F, 1.7F, 1, 691, 1382, 691, 0.00F, 1)         \
    X(ANY, 64, 128, 16, 8, 16, 2, 4, 3, 0, 4.6F, 2.5F, 1, 775, 1550, 775, 0.01F, 1)         \
    X(SINGLES, 64, 112, 16, 8, 8, 2, 4, 3, 255, 6.4F, 4.7F, 2, 705, 1229, 1229, 0.00F, 2)   \
    X(SINGLES, 64, 96, 32, 8, 8, 2, 4, 3, 255, 5.8F, 4.8F, 2, 1305, 1932, 1932, 0.04F, 2)   \
    X(SINGLES, 64, 80, 16, 8, 8, 2, 4, 3, 168, 6.6F, 2.6F, 3, 455, 844, 1264, 0.10F, 3)     \
    X(SINGLES, 96, 48, 16, 24, 4, 0, 4, 3, 0, 4.4F, 2.7F, 5, 821, 1029, 2104, 0.04F, 5)     \
    X(SINGLES, 48, 96, 16, 8, 12, 0, 4, 3, 0, 5.7F, 3.2F, 6, 995, 996, 2682, 0.00F, 5)      \
    X(ANY, 64, 64, 16, 16, 8, 0, 4, 3, 128, 4.1F, 1.6F, 4, 437, 772, 1536, 0.03F, 4)        \
    X(ANY, 64, 64, 16, 8, 8, 2, 4, 3, 0, 4.9F, 2.4F, 3, 420, 673, 977, 0.06F, 3)            \
    X(ANY, 128, 32, 16, 16, 8, 0, 4, 4, 168, 3.4F, 2.1F, 3, 499, 927, 1386, 0.01F, 3)       \
    X(ANY, 32, 128, 16, 8, 16, 0, 4, 4, 168, 4.1F, 2.4F, 3, 442, 888, 1327, 0.00F, 3)       \
    X(SINGLES, 32, 112, 16, 8, 8, 2, 4, 3, 0, 4.1F, 5.3F, 3, 429, 786, 1140, 0.06F, 3)      \
    X(SINGLES, 64, 64, 32, 8, 8, 4, 4, 3, 0, 5.4F, 3.3F, 1, 690, 1381, 690, 0.17F, 1)       \
    X(WHOLE, 128, 32, 8, 32, 4, 0, 4, 3, 96, 4.3F, 1.8F, 7, 231, 393, 1416, 0.00F, 7)       \
    X(SINGLES, 128, 32, 32, 32, 4, 0, 4, 3, 0, 3.9F, 4.3F, 3, 800, 1559, 2336, 0.10F, 3)    \
    X(ANY, 64, 32, 32, 8, 8, 4, 4, 3, 0, 5.3F, 2.0F, 3, 518, 977, 1457, 0.04F, 3)           \
    X(ANY, 32, 64, 32, 8, 8, 4, 4, 3, 0, 5.6F, 2.9F, 3, 517, 1072, 1450, 0, 3)              \
    X(ANY, 64, 32, 16, 8, 8, 0, 4, 4, 0, 3.8F, 1.4F, 6, 426, 509, 1526, 0.09F, 6)           \
    X(ANY, 32, 64, 16, 8, 8, 0, 4, 4, 0, 3.8F, 2.3F, 6, 471, 486, 1457, 0.10F, 6)           \
    X(ANY, 128, 16, 32, 32, 4, 0, 4, 3, 0, 3.6F, 4.3F, 3, 545, 1228, 1633, 0.07F, 3)        \
    X(SINGLES, 64, 32, 16, 16, 4, 0, 4, 3, 168, 3.9F, 0.4F, 4, 362, 452, 895, 0.00F, 4)     \
    X(SINGLES, 64, 32, 8, 16, 4, 0, 4, 3, 0, 5.0F, 1.5F, 7, 119, 196, 683, 0.06F, 7)        \
    X(ANY, 32, 32, 32, 8, 8, 0, 4, 3, 0, 3.5F, 1.0F, 6, 330, 605, 1815, 0.05F, 6)           \
    X(ANY, 64, 16, 32, 16, 4, 0, 4, 3, 168, 3.7F, 2.1F, 4, 459, 591, 1180, 0.05F, 4)        \
    X(ANY, 16, 64, 32, 4, 16, 0, 4, 3, 0, 4.3F, 5.0F, 4, 504, 770, 1634, 0.00F, 4)          \
    X(SINGLES, 32, 32, 16, 8, 4, 2, 4, 3, 168, 4.6F, 1.5F, 7, 179, 227, 782, 0.03F, 5)      \
    X(ANY, 32, 16, 32, 8, 4, 0, 4, 4, 0, 6.1F, 1.3F, 8, 435, 435, 1326, 0.11F, 8)           \
    X(ANY, 16, 32, 32, 4, 8, 0, 4, 4, 0, 4.6F, 1.6F, 8, 503, 523, 1914, 0.00F, 8)
#define DOUBLE_ROWS(X)                                                            \
    X(ANY, 128, 128, 16, 16, 16, 0, 2, 4, 0, 6, 5, 1, 1076, 2152, 1076, 0, 1)     \
    X(ANY, 128, 64, 16, 32, 8, 0, 2, 4, 0, 2.6F, 3.7F, 1, 588, 1176, 588, 0, 1)   \
    X(ANY, 64, 128, 16, 16, 16, 0, 2, 4, 0, 2.8F, 5, 1, 590, 1180, 590, 0, 1)     \
    X(BATCHES, 128, 64, 8, 32, 4, 0, 2, 4, 0, 2.8F, 1.5F, 2, 416, 640, 640, 0, 2) \
    X(BATCHES, 112, 56, 8, 56, 4, 0, 2, 6, 0, 2.8F, 1, 2, 377, 580, 580, 0, 2)    \
    X(SINGLES, 64, 64, 16, 16, 8, 0, 2, 4, 0, 2.8F, 1, 2, 354, 635, 635, 0, 2)    \
    X(BATCHES, 64, 64, 8, 8, 8, 0, 2, 4, 0, 2.8F, 1, 5, 234, 414, 900, 0, 5)      \
    X(BATCHES, 48, 48, 8, 8, 12, 0, 2, 4, 0, 2.8F, 1, 6, 147, 261, 680, 0, 6)     \
    X(ANY, 64, 32, 32, 16, 8, 0, 2, 3, 0, 2.5F, 2.2F, 2, 472, 815, 815, 0, 2)     \
    X(ANY, 32, 32, 16, 8, 8, 0, 2, 4, 0, 2.9F, 1, 5, 183, 256, 625, 0, 5)

#define PARAMS(use, tm, tn, tk, wm, wn, wk, v, depth, bound, ...)                             \
    CLG_TILED_ROW(tm, tn, tk, wm, wn, wk, (wm) < 8 ? 4 : 8, (wm) < 8 ? 8 : 4, v, v, depth, 0, \
                  bound),
#define COST(use, tm, tn, tk, wm, wn, wk, v, depth, bound, fixed, round, fit, one, two, full, \
             scalars, few)                                                                    \
    {fixed, round, fit, {one, two, full}, scalars, few, CLG_FOR_##use},

/* One table; each type has its own rows in it (clg_multistage_row_is_for). */
static const struct clg_params rows[] = {FLOAT_ROWS(PARAMS) DOUBLE_ROWS(PARAMS)};
static const struct clg_tiled_cost costs[] = {FLOAT_ROWS(COST) DOUBLE_ROWS(COST)};
enum { FLOATS = sizeof((struct clg_params[]){FLOAT_ROWS(PARAMS)}) / sizeof(struct clg_params) };

const struct clg_params *clg_multistage_rows(enum clg_device_kind kind, size_t *count) {
    *count = kind == CLG_DEVICE_GPU ? sizeof rows / sizeof *rows : 0;
    return rows;
}

bool clg_multistage_row_is_for(size_t row, clgemm_type type) {
    return (row < FLOATS) == (type != CLGEMM_F64);
}

/* The least k for which sliced K pays for adding up the slices, and the largest k for which floats'
 * rows with steps of 8 were measured. */
enum { SLICES_LEAST_DEPTH = 256, MOST_SHORT_DEPTH = 300, SHORT_STEPS = 8 };

/* Tiled's tiles are powers of two. */
static bool tiled_has(const struct clg_params *row) {
    return (row->tile_n & (row->tile_n - 1)) == 0;
}

/* The rows for the model: those with sliced K are excluded if columns of A and B are aligned for
 * vectors and tiled has the same tile. */
static const char *row_unsupported_reason(const struct clg_problem *problem,
                                          const struct clg_facts *facts,
                                          const struct clg_params *row) {
    const unsigned widest = (unsigned)clg_type_vector(problem->type);
    const bool is_short = problem->type != CLGEMM_F64 && row->tile_k == SHORT_STEPS;
    if (row->wg_k > 1 && tiled_has(row) && problem->matrix[CLG_A].vector >= widest &&
        problem->matrix[CLG_B].vector >= widest)
        return "sliced K is for columns not aligned for vector loads";
    if (row->wg_k > 1 && problem->k < SLICES_LEAST_DEPTH)
        return "k is too short for sliced K";
    if (is_short && problem->k > MOST_SHORT_DEPTH)
        return "steps of 8 are for a short k";
    if (is_short && row->tile_n > 32 &&
        (problem->matrix[CLG_A].vector < 2 || problem->matrix[CLG_B].vector < 2))
        return "reading single elements leaves no registers for wide tiles with steps of 8";
    return clg_multistage_unsupported_reason(problem, facts, row);
}

/* In a batch: the part of a further round's time that remains for floats, and the least time for
 * doubles. Measured on an H100 and an H200. */
static const double batch_rounds = 0.45, least_batch_round_doubles_us = 1;

static struct clg_tiled_table table_for(const struct clg_problem *problem) {
    const bool doubles = problem->type == CLGEMM_F64;
    return (struct clg_tiled_table){
        .rows = rows + (doubles ? FLOATS : 0),
        .costs = costs + (doubles ? FLOATS : 0),
        .count = doubles ? sizeof rows / sizeof *rows - FLOATS : FLOATS,
        .slower = 1,
        .batch_rounds = doubles ? 1 : batch_rounds,
        .least_round_us = doubles ? least_batch_round_doubles_us : 0,
        .joined = CLG_MULTISTAGE_JOINED,
        .reads_runs = !doubles,
        .unsupported_reason = row_unsupported_reason,
    };
}

/* The time of the fastest row, which becomes *out; HUGE_VAL if there is none. */
static double quickest(const struct clg_problem *problem, const struct clg_facts *facts,
                       struct clg_params *out) {
    const struct clg_tiled_table table = table_for(problem);
    return facts->async_copies ? clg_tiled_quickest(&table, problem, facts, out) : HUGE_VAL;
}

double clg_strict_least_us(const struct clg_problem *problem, const struct clg_facts *facts) {
    struct clg_params unused;
    const double thin = clg_thin_us(problem, facts);
    return thin < HUGE_VAL
               ? thin
               : fmin(clg_tiled_least_us(problem, facts), quickest(problem, facts, &unused));
}

bool clg_multistage_choose(const struct clg_problem *problem, const struct clg_facts *facts,
                           struct clg_params *out) {
    return quickest(problem, facts, out) < clg_tiled_least_us(problem, facts);
}

int clg_multistage_rank(const struct clg_problem *problem, const struct clg_facts *facts,
                        struct clg_params *out, int most) {
    const struct clg_tiled_table table = table_for(problem);
    return clg_tiled_ranked(&table, problem, facts, out, most);
}
