/* SPDX-License-Identifier: Apache-2.0
 * The multistage family's built-in parameters, the time that each takes by tiled's model, and the
 * choice by it. docs/kernels.md has the measurements. */
#include <math.h>

#include "gemm/multistage/multistage.h"
#include "gemm/thin/thin.h"
#include "gemm/tiled/model.h"

/* X(use, tile m, n, k, work-items m, n, slices of the group, vectors, stages, fixed, round,
 * resident, steps, scalar, resident with single elements), the larger tiles first; measured on an
 * H200, floats' as tiled's (docs/kernels.md). Of floats those in slices are for products of about
 * one round of the units, and those in steps of 8 for a short k; doubles in such steps are for
 * batches, where groups are many and small. */
#define FLOAT_ROWS(X)                                                                  \
    X(ANY, 128, 256, 16, 8, 32, 0, 4, 3, 9.5F, 7.4F, 1, 2625, 5250, 2625, 0, 1)        \
    X(ANY, 256, 128, 16, 32, 8, 0, 4, 3, 9.5F, 7.8F, 1, 2611, 5223, 2611, 0, 1)        \
    X(ANY, 128, 128, 16, 16, 8, 0, 4, 3, 7.4F, 6.5F, 2, 2690, 2860, 2860, 0, 2)        \
    X(SINGLES, 128, 96, 16, 16, 8, 0, 4, 3, 6.5F, 6.3F, 2, 1083, 1996, 1996, 0.03F, 2) \
    X(WHOLE, 128, 64, 8, 32, 4, 0, 4, 3, 4.3F, 1.7F, 4, 361, 1073, 1402, 0, 4)         \
    X(ANY, 128, 64, 16, 16, 8, 0, 4, 3, 5.5F, 3.6F, 3, 740, 1370, 1985, 0.06F, 3)      \
    X(ANY, 64, 128, 16, 8, 16, 0, 4, 3, 5.0F, 3.7F, 3, 850, 1480, 2112, 0, 3)          \
    X(ANY, 128, 64, 16, 16, 8, 2, 4, 3, 5.0F, 2.0F, 1, 815, 1630, 815, 0, 1)           \
    X(ANY, 64, 128, 16, 8, 16, 2, 4, 3, 4.6F, 2.5F, 1, 775, 1550, 775, 0.01F, 1)       \
    X(SINGLES, 64, 112, 16, 8, 8, 2, 4, 3, 5.6F, 5.2F, 2, 675, 1256, 1256, 0.07F, 2)   \
    X(SINGLES, 64, 96, 32, 8, 8, 2, 4, 3, 5.2F, 5.3F, 2, 1236, 2025, 2025, 0.05F, 2)   \
    X(SINGLES, 64, 80, 16, 8, 8, 2, 4, 3, 5.5F, 3.2F, 3, 530, 935, 1391, 0.05F, 2)     \
    X(SINGLES, 96, 48, 16, 24, 4, 0, 4, 3, 4.4F, 2.6F, 5, 872, 1051, 2135, 0.08F, 5)   \
    X(SINGLES, 48, 96, 16, 8, 12, 0, 4, 3, 5.3F, 2.7F, 6, 1100, 1106, 2800, 0.03F, 5)  \
    X(ANY, 64, 64, 16, 16, 8, 0, 4, 3, 4.7F, 1.6F, 4, 460, 840, 1620, 0.01F, 4)        \
    X(ANY, 64, 64, 16, 8, 8, 2, 4, 3, 5.5F, 2.8F, 3, 425, 752, 1095, 0.01F, 3)         \
    X(ANY, 128, 32, 16, 16, 8, 0, 4, 4, 4.8F, 2.1F, 3, 530, 975, 1379, 0, 3)           \
    X(ANY, 32, 128, 16, 8, 16, 0, 4, 4, 4.8F, 2.4F, 3, 517, 966, 1411, 0, 3)           \
    X(SINGLES, 32, 112, 16, 8, 8, 2, 4, 3, 4.9F, 5.2F, 3, 436, 769, 1153, 0.03F, 3)    \
    X(SINGLES, 64, 64, 32, 8, 8, 4, 4, 3, 5.6F, 3.6F, 1, 744, 1487, 744, 0.15F, 1)     \
    X(WHOLE, 128, 32, 8, 32, 4, 0, 4, 3, 4.3F, 1.8F, 7, 180, 398, 1434, 0, 7)          \
    X(SINGLES, 128, 32, 32, 32, 4, 0, 4, 3, 4.5F, 4.7F, 3, 880, 1640, 2460, 0.11F, 3)  \
    X(ANY, 64, 32, 32, 8, 8, 4, 4, 3, 5.1F, 2.0F, 3, 527, 1099, 1723, 0, 3)            \
    X(ANY, 32, 64, 32, 8, 8, 4, 4, 3, 5.6F, 2.9F, 3, 517, 1072, 1450, 0, 3)            \
    X(ANY, 64, 32, 16, 8, 8, 0, 4, 4, 4.8F, 1.6F, 6, 459, 547, 1540, 0, 6)             \
    X(ANY, 32, 64, 16, 8, 8, 0, 4, 4, 5.0F, 2.3F, 6, 456, 536, 1545, 0, 6)             \
    X(ANY, 128, 16, 32, 32, 4, 0, 4, 3, 4.0F, 4.3F, 3, 620, 1233, 1778, 0, 3)          \
    X(SINGLES, 64, 32, 16, 16, 4, 0, 4, 3, 4.6F, 0.5F, 4, 375, 457, 914, 0.05F, 4)     \
    X(SINGLES, 64, 32, 8, 16, 4, 0, 4, 3, 5.3F, 1.7F, 7, 120, 210, 690, 0.07F, 7)      \
    X(ANY, 32, 32, 32, 8, 8, 0, 4, 3, 3.8F, 0.9F, 6, 406, 616, 2008, 0, 6)             \
    X(ANY, 64, 16, 32, 16, 4, 0, 4, 3, 4.3F, 2.0F, 4, 474, 649, 1274, 0, 4)            \
    X(ANY, 16, 64, 32, 4, 16, 0, 4, 3, 4.3F, 5.0F, 4, 504, 770, 1634, 0, 4)            \
    X(SINGLES, 32, 32, 16, 8, 4, 2, 4, 3, 4.3F, 1.6F, 7, 197, 258, 890, 0.07F, 5)      \
    X(ANY, 32, 16, 32, 8, 4, 0, 4, 4, 4.9F, 1.3F, 8, 458, 486, 1530, 0, 8)             \
    X(ANY, 16, 32, 32, 4, 8, 0, 4, 4, 4.6F, 1.6F, 8, 503, 523, 1914, 0, 8)
#define DOUBLE_ROWS(X)                                                         \
    X(ANY, 128, 128, 16, 16, 16, 0, 2, 4, 6, 5, 1, 1076, 2152, 1076, 0, 1)     \
    X(ANY, 128, 64, 16, 32, 8, 0, 2, 4, 2.6F, 3.7F, 1, 588, 1176, 588, 0, 1)   \
    X(ANY, 64, 128, 16, 16, 16, 0, 2, 4, 2.8F, 5, 1, 590, 1180, 590, 0, 1)     \
    X(BATCHES, 128, 64, 8, 32, 4, 0, 2, 4, 2.8F, 1.5F, 2, 416, 640, 640, 0, 2) \
    X(BATCHES, 112, 56, 8, 56, 4, 0, 2, 6, 2.8F, 1, 2, 377, 580, 580, 0, 2)    \
    X(SINGLES, 64, 64, 16, 16, 8, 0, 2, 4, 2.8F, 1, 2, 354, 635, 635, 0, 2)    \
    X(BATCHES, 64, 64, 8, 8, 8, 0, 2, 4, 2.8F, 1, 5, 234, 414, 900, 0, 5)      \
    X(BATCHES, 48, 48, 8, 8, 12, 0, 2, 4, 2.8F, 1, 6, 147, 261, 680, 0, 6)     \
    X(ANY, 64, 32, 32, 16, 8, 0, 2, 3, 2.5F, 2.2F, 2, 472, 815, 815, 0, 2)     \
    X(ANY, 32, 32, 16, 8, 8, 0, 2, 4, 2.9F, 1, 5, 183, 256, 625, 0, 5)

#define PARAMS(use, tm, tn, tk, wm, wn, wk, v, depth, ...) \
    CLG_TILED_PARAMS(tm, tn, tk, wm, wn, wk, (wm) < 8 ? 4 : 8, (wm) < 8 ? 8 : 4, v, v, depth),
#define COST(use, tm, tn, tk, wm, wn, wk, v, depth, fixed, round, fit, one, two, full, scalars, \
             few)                                                                               \
    {fixed, round, fit, {one, two, full}, scalars, few, CLG_FOR_##use},

/* One table, of which the predicate leaves each type its own: floats' vectors are single elements.
 */
static const struct clg_params rows[] = {FLOAT_ROWS(PARAMS) DOUBLE_ROWS(PARAMS)};
static const struct clg_tiled_cost costs[] = {FLOAT_ROWS(COST) DOUBLE_ROWS(COST)};
enum { FLOATS = sizeof((struct clg_params[]){FLOAT_ROWS(PARAMS)}) / sizeof(struct clg_params) };

const struct clg_params *clg_multistage_rows(enum clg_device_kind kind, size_t *count) {
    *count = kind == CLG_DEVICE_GPU ? sizeof rows / sizeof *rows : 0;
    return rows;
}

/* Steps along k, from which on slices of a group pay for what it takes to add them up; and up to
 * which floats' rows in steps of 8 were measured. */
enum { SLICES_LEAST_DEPTH = 256, MOST_SHORT_DEPTH = 300, SHORT_STEPS = 8 };

/* Tiled's tiles are powers of two. */
static bool tiled_has(const struct clg_params *row) {
    return (row->tile_n & (row->tile_n - 1)) == 0;
}

/* The model's rows: those in slices stand back where columns of A and B take vectors, and tiled has
 * its own. */
static const char *row_unsupported_reason(const struct clg_problem *problem,
                                          const struct clg_facts *facts,
                                          const struct clg_params *row) {
    const unsigned widest = (unsigned)clg_type_vector(problem->type);
    const bool is_short = problem->type != CLGEMM_F64 && row->tile_k == SHORT_STEPS;
    if (row->wg_k > 1 && tiled_has(row) && problem->matrix[CLG_A].vector >= widest &&
        problem->matrix[CLG_B].vector >= widest)
        return "slices of a group are for columns that take no vectors";
    if (row->wg_k > 1 && problem->k < SLICES_LEAST_DEPTH)
        return "k is too short for slices of a group";
    if (is_short && problem->k > MOST_SHORT_DEPTH)
        return "steps of 8 are for a short k";
    if (is_short && row->tile_n > 32 &&
        (problem->matrix[CLG_A].vector < 2 || problem->matrix[CLG_B].vector < 2))
        return "single elements leave no registers for wide tiles in steps of 8";
    return clg_multistage_unsupported_reason(problem, facts, row);
}

/* What is left of the time of a further round where it belongs to a batch, of floats; and the least
 * of it for doubles. Measured on an H100, and an H200. */
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

/* The time of its quickest row, which becomes *out; HUGE_VAL where there is none. */
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
