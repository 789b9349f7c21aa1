/* SPDX-License-Identifier: Apache-2.0
 * The choice among a table's rows by the model, which considers each with all numbers of slices. */
#include <math.h>

#include "base/checked.h"
#include "gemm/tiled/model.h"

/* Numbers of slices to consider for all tiles, or for the tail. */
static const int splits[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};

/* Rows with larger tiles stand first and win ties: they read less, so they depend less on what the
 * model leaves out. */
static const double better = 0.98;

enum { RANKED_MAX = 64 };

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
               ? clg_tiled_pack_us(reading, size * (size_t)clg_problem_matrices(problem, which),
                                   facts)
               : HUGE_VAL;
}

/* Whether reading the operand takes more instructions and registers than when the row was measured.
 * If the table packs, that holds for vectors narrower than the row's; else for single elements. In
 * tables that read runs, B was measured along k, where runs are single elements, but A was not. */
static bool is_slow(const struct clg_tiled_table *table, enum clg_matrix_index which,
                    const struct clg_reading *reading) {
    if (table->packs)
        return reading->vec < reading->wanted;
    return reading->vec < 2 || (which == CLG_A && table->reads_runs && reading->along_k);
}

/* The time of a row with its number of slices, and its best packing: an operand that cannot be read
 * in the row's vectors is packed first, or read in narrower ones. */
static double candidate_us(const struct clg_tiled_table *table, const struct clg_problem *problem,
                           const struct clg_facts *facts, size_t index,
                           struct clg_params *candidate, bool may_pack) {
    const struct clg_cut cut = clg_tiled_cut(problem, facts, candidate);
    const struct clg_reading a = clg_tiled_read_a(problem, candidate);
    const struct clg_reading b = clg_tiled_read_b(problem, candidate);
    const bool slow_a = is_slow(table, CLG_A, &a), slow_b = is_slow(table, CLG_B, &b);
    const double pack_a = packing_us(table, problem, facts, CLG_A, &a, may_pack);
    const double pack_b = packing_us(table, problem, facts, CLG_B, &b, may_pack);
    const double share_a = (double)candidate->tile_m / (candidate->tile_m + candidate->tile_n);
    double best = HUGE_VAL;
    for (int packs = 0; packs < (table->packs ? 4 : 1); packs++) {
        const bool packs_a = packs & 1, packs_b = packs & 2;
        if ((packs_a && !slow_a) || (packs_b && !slow_b))
            continue;
        const double scalars =
            (slow_a && !packs_a ? share_a : 0) + (slow_b && !packs_b ? 1 - share_a : 0);
        const double us = clg_tiled_time(table, problem, facts, index, &cut, scalars) +
                          (packs_a ? pack_a : 0) + (packs_b ? pack_b : 0);
        if (us < best) {
            best = us;
            candidate->pack_a = packs_a;
            candidate->pack_b = packs_b;
        }
    }
    return best;
}

/* A row of the table with its best slices and packing, and the modelled time. */
struct best {
    const struct clg_tiled_table *table;
    size_t index;
    struct clg_params row;
    double us;
};

static void consider(const struct clg_problem *problem, const struct clg_facts *facts,
                     struct clg_params candidate, bool may_pack, struct best *best) {
    const double us = candidate_us(best->table, problem, facts, best->index, &candidate, may_pack);
    if (us < best->us && !clg_tiled_cut_unsupported_reason(problem, facts, &candidate)) {
        best->us = us;
        best->row = candidate;
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
 * as fit the device: further slices only add work. */
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
            clg_tiled_fills(best->table, facts, best->index, groups * before))
            return;
        *slices = splits[s];
        if (tail && leaves_registers(best->table, problem, facts, &candidate))
            return;
        consider(problem, facts, candidate, may_pack, best);
    }
}

/* The row with its best time; HUGE_VAL if it cannot compute the problem. */
static struct best best_cut(const struct clg_tiled_table *table, const struct clg_problem *problem,
                            const struct clg_facts *facts, size_t index, bool may_pack) {
    const struct clg_params *row = &table->rows[index];
    struct best best = {table, index, *row, HUGE_VAL};
    const enum clg_tiled_use use = table->costs[index].use;
    const bool is_for = use == CLG_FOR_ANY || (use == CLG_FOR_BATCHES) == (problem->batch > 1);
    if (!is_for || !fills_a_tile(problem, row) || table->unsupported_reason(problem, facts, row))
        return best;
    consider(problem, facts, *row, may_pack, &best);
    if (facts->kind != CLG_DEVICE_CPU && use != CLG_FOR_WHOLE) {
        try_slices(problem, facts, row, false, may_pack, &best);
        try_slices(problem, facts, row, true, may_pack, &best);
    }
    return best;
}

static bool may_pack(const struct clg_tiled_table *table, const struct clg_problem *problem,
                     const struct clg_facts *facts) {
    return table->packs && !clg_tiled_pack_unsupported_reason(problem, facts);
}

double clg_tiled_quickest(const struct clg_tiled_table *table, const struct clg_problem *problem,
                          const struct clg_facts *facts, struct clg_params *out) {
    const bool packs = may_pack(table, problem, facts);
    double least = HUGE_VAL;
    for (size_t i = 0; i < table->count; i++) {
        const struct best best = best_cut(table, problem, facts, i, packs);
        if (best.us < better * least) {
            least = best.us;
            *out = best.row;
        }
    }
    return least;
}

int clg_tiled_ranked(const struct clg_tiled_table *table, const struct clg_problem *problem,
                     const struct clg_facts *facts, struct clg_params *out, int most) {
    const bool packs = may_pack(table, problem, facts);
    double us[RANKED_MAX];
    int count = 0;
    most = most < RANKED_MAX ? most : RANKED_MAX;
    for (size_t i = 0; i < table->count; i++) {
        const struct best best = best_cut(table, problem, facts, i, packs);
        int at = count;
        while (at > 0 && us[at - 1] > best.us)
            at--;
        if (best.us == HUGE_VAL || at == most)
            continue;
        count += count < most;
        for (int later = count - 1; later > at; later--) {
            us[later] = us[later - 1];
            out[later] = out[later - 1];
        }
        us[at] = best.us;
        out[at] = best.row;
    }
    return count;
}

/* ---- The tiled family's own ---- */

/* PoCL 3.1 takes up to 15 s to compile the kernel for 16-bit elements, and under 1 s for direct's.
 */
static bool is_left_out(const struct clg_problem *problem, const struct clg_facts *facts) {
    return facts->kind == CLG_DEVICE_CPU && clg_type_is_narrow(problem->type);
}

double clg_tiled_least_us(const struct clg_problem *problem, const struct clg_facts *facts) {
    struct clg_params unused;
    const struct clg_tiled_table table = clg_tiled_table(problem, facts);
    return is_left_out(problem, facts) ? HUGE_VAL
                                       : clg_tiled_quickest(&table, problem, facts, &unused);
}

bool clg_tiled_choose(const struct clg_problem *problem, const struct clg_facts *facts,
                      struct clg_params *out) {
    const struct clg_tiled_table table = clg_tiled_table(problem, facts);
    return !is_left_out(problem, facts) &&
           clg_tiled_quickest(&table, problem, facts, out) < HUGE_VAL;
}

int clg_tiled_rank(const struct clg_problem *problem, const struct clg_facts *facts,
                   struct clg_params *out, int most) {
    const struct clg_tiled_table table = clg_tiled_table(problem, facts);
    return is_left_out(problem, facts) ? 0 : clg_tiled_ranked(&table, problem, facts, out, most);
}
