/* SPDX-License-Identifier: Apache-2.0
 * The programs of a plan, and small products that use them. */
#include "gemm/small.h"

#include <string.h>

#include "base/checked.h"

enum {
    ENOUGH = 64,      /* length of a dimension that has no tiles */
    CUT = 5,          /* elements past whole tiles and vectors */
    DEPTH = 256,      /* along k: several iterations of any kernel's loop */
    MOST = 1 << 23,   /* elements of a check's matrices */
    AT_LAST = 1 << 26 /* the same if launches must be wide and no smaller product has such ones */
};

struct clg_hash clg_plan_programs(const struct clg_plan *plan, bool widths) {
    struct clg_hash all = {{0}};
    for (int s = 0; s < plan->num_steps; s++) {
        const struct clg_step *step = &plan->steps[s];
        struct {
            struct clg_hash before, step;
        } both = {all, clg_hash_of(step->source, strlen(step->source) + 1, step->options,
                                   strlen(step->options))};
        both.step.bytes[0] ^= widths && clg_step_is_wide(step);
        all = clg_hash_of(&both, sizeof both, NULL, 0);
    }
    return all;
}

static int64_t clip(int64_t length, int64_t most, int tile, bool cut) {
    const int64_t rest = cut ? CUT : tile ? length % tile : 0;
    return length < most + rest ? length : most + rest;
}

static void clip_matrix(struct clg_matrix *matrix, int64_t bulk, int64_t rows, int64_t cols) {
    const int64_t slack = matrix->readable - matrix->rows;
    const int64_t behind = slack < CLG_WIDEST_VECTOR ? slack : CLG_WIDEST_VECTOR;
    matrix->rows = matrix->transposed ? cols : rows;
    matrix->cols = matrix->transposed ? rows : cols;
    matrix->readable = matrix->rows + behind;
    matrix->ld = clg_round_up(matrix->readable, matrix->bulk ? bulk : matrix->vector);
    matrix->offset = 0;
    if (matrix->stride)
        matrix->stride = matrix->ld * matrix->cols;
}

void clg_plan_small(struct clg_plan *out, const struct clg_plan *plan,
                    const struct clg_facts *facts, const struct clg_small *small) {
    const struct clg_family *family = plan->family;
    const struct clg_tile tile =
        family ? clg_family_tile(family, &plan->params) : (struct clg_tile){0, 0, 0};
    struct clg_problem few = plan->problem;
    const int64_t bulk = clg_type_bulk(few.type);
    few.m = clip(few.m, (int64_t)(tile.m ? tile.m : ENOUGH) * small->tiles, tile.m, small->cut);
    few.n = clip(few.n, (int64_t)(tile.n ? tile.n : ENOUGH) * small->tiles, tile.n, small->cut);
    few.k = clip(few.k, clg_round_up(small->depth, tile.k ? tile.k : 1), tile.k, small->cut);
    /* If groups have several products each, the last group gets fewer. */
    const int64_t of_group = family ? plan->params.products : 0;
    const int64_t whole = 2 * (int64_t)small->tiles * (of_group ? of_group : 1);
    const int64_t most = of_group > 1 ? whole - 1 : whole;
    if (few.batch > most)
        few.batch = most;
    clip_matrix(&few.matrix[CLG_A], bulk, few.m, few.k);
    clip_matrix(&few.matrix[CLG_B], bulk, few.k, few.n);
    clip_matrix(&few.matrix[CLG_C], bulk, few.m, few.n);
    if (family)
        clg_plan_with(out, family, &plan->params, &few, facts);
    else
        clg_plan_scale(out, &few, facts);
}

/* ---- The product for a check ---- */

static bool is_alike(const struct clg_plan *small, const struct clg_plan *plan, bool widths) {
    bool alike = small->num_steps == plan->num_steps;
    for (int s = 0; s < plan->num_steps && alike; s++) {
        const struct clg_step *one = &small->steps[s], *other = &plan->steps[s];
        alike = !strcmp(one->source, other->source) && !strcmp(one->options, other->options) &&
                (!widths || clg_step_is_wide(one) == clg_step_is_wide(other));
    }
    return alike;
}

static bool is_supported(const struct clg_plan *plan, const struct clg_facts *facts) {
    return !plan->family ||
           !clg_family_unsupported_reason(plan->family, &plan->problem, facts, &plan->params);
}

static double elements(const struct clg_problem *problem) {
    double sum = 0;
    for (int i = 0; i < CLG_MATRICES; i++)
        sum += (double)clg_problem_elements(problem, i);
    return sum;
}

/* How a plan divides its tiles depends on the number of tiles for each compute unit. So the small
 * plan is also tried as if there were one unit, or three, for which a few tiles are many or leave
 * a tail. */
static bool find_of_size(struct clg_plan *out, const struct clg_plan *plan,
                         const struct clg_facts *facts, bool widths, int tiles, int64_t depth,
                         int most) {
    const unsigned units[] = {facts->compute_units, 1, 3};
    for (size_t option = 0; option < 2 * sizeof units / sizeof units[0]; option++) {
        const struct clg_small size = {tiles, depth, option % 2 == 0};
        struct clg_facts few = *facts;
        few.compute_units = units[option / 2];
        clg_plan_small(out, plan, &few, &size);
        if (elements(&out->problem) <= most && is_alike(out, plan, widths) &&
            is_supported(out, &few))
            return true;
    }
    return false;
}

static bool find_twin(struct clg_plan *out, const struct clg_plan *plan,
                      const struct clg_facts *facts, bool widths, int most) {
    const struct clg_problem *whole = &plan->problem, *small = &out->problem;
    int64_t depth = DEPTH;
    do {
        int tiles = 1;
        do {
            if (find_of_size(out, plan, facts, widths, tiles, depth, most))
                return true;
            tiles *= 2;
        } while (elements(small) <= most &&
                 (small->m < whole->m || small->n < whole->n || small->batch < whole->batch));
        depth *= 4;
    } while (small->k < whole->k);
    return false;
}

/* A batch that is split along k and added up in wide launches has no small equivalent: it must be
 * as wide and nearly as deep. */
bool clg_plan_twin(struct clg_plan *out, const struct clg_plan *plan, const struct clg_facts *facts,
                   bool widths) {
    return find_twin(out, plan, facts, widths, MOST) ||
           (widths && find_twin(out, plan, facts, widths, AT_LAST));
}
