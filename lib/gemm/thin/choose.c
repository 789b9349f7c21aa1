/* SPDX-License-Identifier: Apache-2.0
 * The thin family's candidates, and the model of their time. */
#include <math.h>

#include "base/checked.h"
#include "gemm/thin/thin.h"
#include "gemm/tiled/tiled.h"

/* Whether the row is faster than other families for such a problem. If the wide operand runs across
 * k and is read in single elements, each has its own address, for which there are no registers left
 * with more than two of the few. Along k, many single elements are slower than a few. A short k
 * needs many tiles. */
static bool suits(const struct clg_problem *problem, const struct clg_facts *facts,
                  const struct clg_cost_row *row) {
    enum { SHORT = 256, MOST_FEW_SCALARS = 2, MOST_STEPS_SCALARS = 8 };
    const struct clg_thin_sides sides = clg_thin_sides_of(problem, &row->params);
    const int64_t tiles = sides.outer / sides.outer_tile * problem->batch;
    if (sides.few > sides.few_tile || sides.outer <= sides.few || sides.along_k != row->along_k ||
        !clg_cost_row_is_for(row, problem))
        return false;
    if (sides.vec < (int)clg_type_vector(problem->type) &&
        (sides.along_k ? row->params.unroll_k > MOST_STEPS_SCALARS : sides.few > MOST_FEW_SCALARS))
        return false;
    return problem->k >= SHORT || tiles >= clg_tiled_units(facts);
}

/* As many slices as give each unit two groups, or one if sums are doubles, but each slice must be
 * several times the steps that a group takes at a time. More slices are slower to add up. */
static int slices_for(const struct clg_problem *problem, const struct clg_facts *facts,
                      const struct clg_params *row) {
    enum { BYTES_A_UNIT = 8, LEAST_STEPS = 8, MOST_SLICES = 256 };
    const struct clg_thin_sides sides = clg_thin_sides_of(problem, row);
    const int64_t tiles = clg_ceil_div(sides.outer, sides.outer_tile) * problem->batch;
    const int64_t groups =
        clg_tiled_units(facts) * BYTES_A_UNIT / (int64_t)clg_type_real_size(problem->type);
    const int64_t most = problem->k / (LEAST_STEPS * clg_thin_steps(row));
    const int64_t wanted = groups / tiles < most ? groups / tiles : most;
    return wanted < 2 ? 0 : wanted < MOST_SLICES ? (int)wanted : MOST_SLICES;
}

/* At the speed of memory: each operand is read once. */
static double us_of(const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_costs *costs) {
    double elements = 0;
    for (int i = 0; i < CLG_MATRICES; i++)
        elements += (double)problem->matrix[i].rows * (double)problem->matrix[i].cols *
                    (double)clg_problem_matrices(problem, i);
    const double bytes = elements * (double)clg_type_size(problem->type);
    return fmax(costs->thin_least_us,
                costs->thin_fixed_us + bytes / (costs->thin_rate * (double)clg_tiled_units(facts)));
}

void clg_thin_candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                         const struct clg_costs *costs, struct clg_list *list) {
    const struct clg_cost_rows all = clg_costs_of(costs, &clg_family_thin);
    for (size_t i = 0; i < all.count; i++) {
        if (!suits(problem, facts, &all.rows[i]))
            continue;
        struct clg_params own = all.rows[i].params;
        own.split_k = slices_for(problem, facts, &own);
        if (!clg_thin_unsupported_reason(problem, facts, &own))
            clg_list_add(list, &clg_family_thin, &own, us_of(problem, facts, costs), "memory");
    }
}
