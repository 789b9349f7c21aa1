/* SPDX-License-Identifier: Apache-2.0
 * A model of the time that the families tiled and multistage take.
 *
 * In the model a device is a number of compute units that each hold some groups at a time. A group
 * of a row takes a fixed time, and a step time for each tile along k, which grows with the number
 * of groups on the unit. The rows of costs (gemm/costs.h) have these times, measured with one, two
 * and as many groups on each unit as fit, or computed (gemm/estimate.h). */
#ifndef CLG_GEMM_TILED_MODEL_H
#define CLG_GEMM_TILED_MODEL_H

#include "gemm/costs.h"
#include "gemm/tiled/tiled.h"

/* A family that divides its work as tiled does, for one problem. */
struct clg_tiled_table {
    const struct clg_family *family;
    const struct clg_costs *costs;
    double slower;         /* factor of the steps' time for this problem's type */
    double batch_rounds;   /* factor of round_us in a batch */
    double least_round_us; /* in a batch */
    double pieces_us;      /* what slices of cut tiles beside whole tiles add */
    int64_t joined;        /* clg_tiled_joins */
    /* Groups that a unit's local memory holds in the problem's layout; NULL: it holds the row's in
     * all layouts. */
    int64_t (*in_local)(const struct clg_problem *problem, const struct clg_facts *facts,
                        const struct clg_params *params);
    bool packs;      /* operands that cannot be read in vectors may be packed first */
    bool scatters;   /* C is written in single elements if not aligned for vectors */
    bool reads_runs; /* operands along k are read in runs of a few elements */
};

/* Modelled microseconds for the problem with this row and cut; `scalars` is the share of tiles'
 * elements that are read in scalars. *limit: what limits it. */
double clg_tiled_time(const struct clg_tiled_table *table, const struct clg_problem *problem,
                      const struct clg_facts *facts, const struct clg_cost_row *row,
                      const struct clg_cut *cut, double scalars, const char **limit);

/* About the least that clg_tiled_time gives for the row, however tiles are cut. */
double clg_tiled_least_time(const struct clg_tiled_table *table, const struct clg_problem *problem,
                            const struct clg_facts *facts, const struct clg_cost_row *row);

/* Modelled microseconds to pack an operand; `size`: bytes of an element, times the matrices of a
 * batch. */
double clg_tiled_pack_us(const struct clg_costs *costs, const struct clg_reading *reading,
                         size_t size, const struct clg_facts *facts);

/* Adds each row that can compute the problem, at its best number of slices and packing. */
void clg_tiled_add_rows(const struct clg_tiled_table *table, const struct clg_problem *problem,
                        const struct clg_facts *facts, struct clg_list *list);

#endif
