/* SPDX-License-Identifier: Apache-2.0
 * The choice among a table's rows by the model, which considers each with all numbers of slices. */
#include <math.h>

#include "base/checked.h"
#include "gemm/tiled/model.h"

/* Numbers of slices to consider for all tiles, or for the tail. */
static const int splits[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};

static bool fills_a_tile(const struct clg_problem *problem, const struct clg_params *row) {
    return !clg_overhangs(problem->m, row->tile_m) && !clg_overhangs(problem->n, row->tile_n) &&
           !clg_overhangs(problem->k, row->tile_k);
}

/* The time to pack an operand; HUGE_VAL if it must not be packed. */
static double packing_us(const struct clg_tiled_table *table, const struct clg_problem *problem,
                         const struct clg_facts *facts, enum clg_matrix_index which,
                         const struct clg_reading *reading, bool may_pack) {
    const size_t size = clg_type_size(problem->type);
    if (clg_is_ahead(problem, &clg_family_tiled, which))
        return 0;
    return table->packs && may_pack
               ? clg_tiled_pack_us(table->costs, reading,
                                   size * (size_t)clg_problem_matrices(problem, which), facts)
               : HUGE_VAL;
}

/* Whether reading the operand takes more instructions and registers than when the row was measured.
 * If the table packs, that holds for vectors narrower than the row's; else for single elements. In
 * tables that read runs, B was measured along k, where runs are single elements, but A was not. */
static bool is_slow(const struct clg_tiled_table *table, enum clg_matrix_index which,
                    const struct clg_reading *reading) {
    if (table->packs)
        return reading->vec < reading->full_vec;
    return reading->vec < 2 || (which == CLG_A && table->reads_runs && reading->along_k);
}

/* The time of a row with its number of slices, and its best packing: an operand that cannot be read
 * in the row's vectors is packed first, or read in narrower ones. */
static double candidate_us(const struct clg_tiled_table *table, const struct clg_problem *problem,
                           const struct clg_facts *facts, const struct clg_cost_row *row,
                           struct clg_params *candidate, bool may_pack, const char **limit) {
    const struct clg_cut cut = clg_tiled_cut(problem, facts, candidate);
    const struct clg_reading a = clg_tiled_read_a(problem, candidate);
    const struct clg_reading b = clg_tiled_read_b(problem, candidate);
    const bool slow_a = is_slow(table, CLG_A, &a), slow_b = is_slow(table, CLG_B, &b);
    const double pack_a = packing_us(table, problem, facts, CLG_A, &a, may_pack);
    const double pack_b = packing_us(table, problem, facts, CLG_B, &b, may_pack);
    const double share_a = (double)candidate->tile_m / (candidate->tile_m + candidate->tile_n);
    const char *limited;
    double best = HUGE_VAL;
    for (int packs = 0; packs < (table->packs ? 4 : 1); packs++) {
        const bool packs_a = packs & 1, packs_b = packs & 2;
        if ((packs_a && !slow_a) || (packs_b && !slow_b))
            continue;
        const double scalars =
            (slow_a && !packs_a ? share_a : 0) + (slow_b && !packs_b ? 1 - share_a : 0);
        const double us = clg_tiled_time(table, problem, facts, row, &cut, scalars, &limited) +
                          (packs_a ? pack_a : 0) + (packs_b ? pack_b : 0);
        if (us < best) {
            best = us;
            *limit = limited;
            candidate->pack_a = packs_a;
            candidate->pack_b = packs_b;
        }
    }
    return best;
}

/* A row of the table with its best slices and packing, and the modelled time. */
struct best {
    const struct clg_tiled_table *table;
    const struct clg_cost_row *row;
    struct clg_params params;
    double us;
    const char *limit;
};

static void consider(const struct clg_problem *problem, const struct clg_facts *facts,
                     struct clg_params candidate, bool may_pack, struct best *best) {
    const char *limit = NULL;
    const double us =
        candidate_us(best->table, problem, facts, best->row, &candidate, may_pack, &limit);
    if (us < best->us && !clg_tiled_cut_unsupported_reason(problem, facts, &candidate)) {
        best->us = us;
        best->params = candidate;
        best->limit = limit;
    }
}

/* Whether groups with sliced K leave the sums of a tail to another step. Their program then needs
 * so few registers that two groups fit a unit, and some units get two whole tiles instead of one,
 * which is much slower (measured on an H100). */
static bool leaves_registers(const struct clg_tiled_table *table, const struct clg_problem *problem,
                             const struct clg_facts *facts, const struct clg_params *candidate) {
    if (table->joined == 0 || candidate->wg_k < 2)
        return false;
    const struct clg_cut cut = clg_tiled_cut(problem, facts, candidate);
    return !clg_tiled_joins(problem, &cut, candidate, table->joined);
}

/* Cuts all tiles, or only the tail, into more and more slices, until there are twice as many groups
 * as the row has on the device: further slices only add work. */
static void try_slices(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_params *row, bool tail, bool may_pack, struct best *best) {
    struct clg_params candidate = *row;
    int *slices = tail ? &candidate.split_tail : &candidate.split_k;
    *slices = splits[0];
    const struct clg_cut cut = clg_tiled_cut(problem, facts, &candidate);
    const int64_t groups = (cut.tiles - cut.whole) * problem->batch; /* with one slice */
    if (tail && (problem->batch > 1 || !clg_tiled_leaves_tail(problem, facts, row)))
        return;
    for (size_t s = 0; s < sizeof splits / sizeof *splits; s++) {
        const int before = s > 0 ? splits[s - 1] : 1;
        if (problem->k < (int64_t)splits[s] * row->tile_k ||
            groups * before >= clg_tiled_units(facts) * 2 * best->row->resident)
            return;
        *slices = splits[s];
        if (tail && leaves_registers(best->table, problem, facts, &candidate))
            return;
        consider(problem, facts, candidate, may_pack, best);
    }
}

static bool may_pack(const struct clg_tiled_table *table, const struct clg_problem *problem,
                     const struct clg_facts *facts) {
    return table->packs && !clg_tiled_pack_unsupported_reason(problem, facts);
}

void clg_tiled_add_rows(const struct clg_tiled_table *table, const struct clg_problem *problem,
                        const struct clg_facts *facts, struct clg_list *list) {
    const struct clg_cost_rows all = clg_costs_of(table->costs, table->family);
    const bool packs = may_pack(table, problem, facts);
    double least_us = HUGE_VAL; /* a row that cannot be as fast is not cut */
    for (size_t i = 0; i < all.count; i++) {
        const struct clg_params *row = &all.rows[i].params;
        struct best best = {table, &all.rows[i], *row, HUGE_VAL, NULL};
        if (!clg_cost_row_is_for(&all.rows[i], problem) || !fills_a_tile(problem, row) ||
            table->family->unsupported_reason(problem, facts, row))
            continue;
        consider(problem, facts, *row, packs, &best);
        least_us = fmin(least_us, best.us);
        if (facts->kind != CLG_DEVICE_CPU && all.rows[i].use != CLG_FOR_WHOLE &&
            clg_tiled_least_time(table, problem, facts, &all.rows[i]) < least_us) {
            try_slices(problem, facts, row, false, packs, &best);
            try_slices(problem, facts, row, true, packs, &best);
            least_us = fmin(least_us, best.us);
        }
        clg_list_add(list, table->family, &best.params, best.us, best.limit);
    }
}
