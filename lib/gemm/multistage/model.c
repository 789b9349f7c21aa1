/* SPDX-License-Identifier: Apache-2.0
 * The multistage family's candidates, by tiled's model. */
#include "gemm/tiled/model.h"
#include "gemm/multistage/multistage.h"

void clg_multistage_candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                               const struct clg_costs *costs, struct clg_list *list) {
    const bool doubles = problem->type == CLGEMM_F64;
    const struct clg_tiled_table table = {
        .family = &clg_family_multistage,
        .costs = costs,
        .slower = 1,
        .batch_rounds = doubles ? 1 : costs->multistage_batch_rounds,
        .least_round_us = doubles ? costs->multistage_batch_round_f64_us : 0,
        .joined = CLG_MULTISTAGE_JOINED,
        .reads_runs = !doubles,
    };
    if (facts->async_copies)
        clg_tiled_add_rows(&table, problem, facts, list);
}
