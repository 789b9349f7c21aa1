/* SPDX-License-Identifier: Apache-2.0
 * The candidates of the tensor family, and a model of the time that each takes. */
#include <math.h>

#include "base/checked.h"
#include "gemm/tensor/tensor.h"

const int clg_tensor_splits[] = {0, 2, 3, 4, 6, 8, 12, 16, 0};

/* A block of k for each row of a tile. */
static double row_us(const struct clg_problem *problem, const struct clg_costs *costs) {
    if (problem->type != CLGEMM_F32)
        return costs->tensor_half_us;
    return problem->math == CLGEMM_MATH_ACCURATE   ? costs->tensor_accurate_us
           : problem->math == CLGEMM_MATH_NORMWISE ? costs->tensor_normwise_us
           : problem->math == CLGEMM_MATH_TF32     ? costs->tensor_tf32_us
                                                   : costs->tensor_half_us;
}

double clg_tensor_streaming_us(const struct clg_tensor_shares *shares,
                               const struct clg_costs *costs) {
    return shares->streamed ? costs->tensor_shared_us +
                                  costs->tensor_share_us *
                                      ceil((double)shares->blocks / clg_tensor_most_blocks(shares))
                            : 0;
}

static double us_of(const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_costs *costs, const struct clg_params *p) {
    const struct clg_tensor_way *way = clg_tensor_way(problem);
    const struct clg_tensor_shares shares = clg_tensor_shares(way, problem, facts, p);
    const bool lies[] = {clg_tensor_lies(problem, facts, CLG_A),
                         clg_tensor_lies(problem, facts, CLG_B)};
    const double rounds = (double)clg_ceil_div(shares.tiles, shares.groups);
    const double blocks = clg_tensor_most_blocks(&shares);
    double us = costs->tensor_fixed_us +
                clg_tensor_pack_traffic(&clg_family_tensor, way, problem, p, lies) /
                    costs->tensor_pack_rate +
                blocks * p->tile_m * row_us(problem, costs);
    if (clg_type_is_narrow(problem->type) && !clg_tensor_has_boxes(problem, facts, p))
        us += rounds * p->tile_m * costs->tensor_write_row_us;
    return us + clg_tensor_streaming_us(&shares, costs);
}

/* Adds the row with the number of groups for a tile that takes the least time. */
static void add_row(const struct clg_family *family, const struct clg_problem *problem,
                    const struct clg_facts *facts, const struct clg_costs *costs,
                    const struct clg_params *row, const int splits[], clg_tensor_us *us_of,
                    struct clg_list *list) {
    struct clg_params candidate = *row, best = *row;
    double least = HUGE_VAL;
    if (!clg_family_keeps_form(family, problem, facts, row))
        return;
    for (size_t s = 0; s == 0 || splits[s]; s++) {
        candidate.sharers = splits[s];
        if (family->unsupported_reason(problem, facts, &candidate))
            continue;
        const double us = us_of(problem, facts, costs, &candidate);
        if (us < least) {
            least = us;
            best = candidate;
        }
    }
    clg_list_add(list, family, &best, least, "multiply-adds");
}

void clg_tensor_add_rows(const struct clg_family *family, const struct clg_problem *problem,
                         const struct clg_facts *facts, const struct clg_costs *costs,
                         const int splits[], clg_tensor_us *us_of, struct clg_list *list) {
    const struct clg_cost_rows all = clg_costs_of(costs, family);
    for (size_t i = 0; i < all.count; i++)
        add_row(family, problem, facts, costs, &all.rows[i].params, splits, us_of, list);
}

void clg_tensor_candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                           const struct clg_costs *costs, struct clg_list *list) {
    if (facts->tensor_cores && clg_tensor_way(problem))
        clg_tensor_add_rows(&clg_family_tensor, problem, facts, costs, clg_tensor_splits, us_of,
                            list);
}
