/* SPDX-License-Identifier: Apache-2.0
 * The tiled family's choice: every row with every number of slices, by the model. */
#include <math.h>

#include "base/checked.h"
#include "gemm/tiled_model.h"

/* Numbers of slices to consider. */
static const int splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};

/* The rows come larger tiles first, and these win ties: they read less, and so depend less on what
 * the model does not know. */
static const double better = 0.98;

/* Below a quarter of a tile, most of what a group does is thrown away. */
static bool fills_a_tile(const struct clg_problem *problem, const struct clg_params *row) {
    return 4 * problem->m >= row->tile_m && 4 * problem->n >= row->tile_n &&
           4 * problem->k >= row->tile_k;
}

/* Whether `slices` are worth a look, after all smaller numbers were: once the device is full, more
 * only make more work. */
static bool may_split(const struct clg_problem *problem, const struct clg_facts *facts,
                      size_t index, const struct clg_params *row, int slices, int slices_before) {
    return facts->kind != CLG_DEVICE_CPU && problem->k >= (int64_t)slices * row->tile_k &&
           !clg_tiled_fills(problem, facts, index, slices_before);
}

/* What reading an operand costs beyond the time of the row, and whether it is packed for that. */
static double reading_us(const struct clg_reading *reading, double scalar_us, double pack_us,
                         int *pack) {
    const bool slow = reading->vec < reading->wanted;
    *pack = slow && pack_us < scalar_us;
    return *pack ? pack_us : slow ? scalar_us : 0;
}

/* The time of a row with its number of slices, with what needs it packed. */
static double candidate_us(const struct clg_problem *problem, const struct clg_facts *facts,
                           size_t index, struct clg_params *candidate, bool may_pack) {
    const struct clg_reading a = clg_tiled_read_a(problem, candidate);
    const struct clg_reading b = clg_tiled_read_b(problem, candidate);
    const int64_t depth = clg_tiled_slice_depth(problem, candidate);
    const double us = clg_tiled_time(problem, facts, index, depth, 0);
    const double all = clg_tiled_time(problem, facts, index, depth, 1) - us;
    const double share_a = (double)candidate->tile_m / (candidate->tile_m + candidate->tile_n);
    return us +
           reading_us(&a, share_a * all, may_pack ? clg_tiled_pack_us(&a, facts) : HUGE_VAL,
                      &candidate->pack_a) +
           reading_us(&b, (1 - share_a) * all, may_pack ? clg_tiled_pack_us(&b, facts) : HUGE_VAL,
                      &candidate->pack_b);
}

/* The best number of slices for a row; HUGE_VAL if the row cannot. */
static double best_split(const struct clg_problem *problem, const struct clg_facts *facts,
                         size_t index, struct clg_params *row, bool may_pack) {
    struct clg_params candidate = *row;
    double best = HUGE_VAL;
    if (!fills_a_tile(problem, row) || clg_tiled_why_not(problem, facts, row))
        return best;
    for (size_t s = 0; s < sizeof splits / sizeof *splits; s++) {
        if (s > 0 && !may_split(problem, facts, index, row, splits[s], splits[s - 1]))
            break;
        candidate.split_k = splits[s];
        const double us = candidate_us(problem, facts, index, &candidate, may_pack);
        if (us < best && !clg_tiled_split_why_not(problem, facts, &candidate)) {
            best = us;
            *row = candidate;
        }
    }
    return best;
}

bool clg_tiled_choose(const struct clg_problem *problem, const struct clg_facts *facts,
                      struct clg_params *out) {
    size_t count;
    const struct clg_params *rows = clg_tiled_rows(facts->kind, &count);
    const bool may_pack = !clg_tiled_pack_why_not(problem, facts);
    double best = HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        struct clg_params row = rows[i];
        const double us = best_split(problem, facts, i, &row, may_pack);
        if (us < better * best) {
            best = us;
            *out = row;
        }
    }
    return best < HUGE_VAL;
}
