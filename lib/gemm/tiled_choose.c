/* SPDX-License-Identifier: Apache-2.0
 * The tiled family's choice: every row with every number of slices, by the model. */
#include <math.h>

#include "base/checked.h"
#include "gemm/tiled_model.h"

/* Numbers of slices to consider. */
static const int splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};

/* With so many groups a unit, more slices only make more work. */
enum { ENOUGH_GROUPS = 8 };

/* The rows come larger tiles first, and these win ties: they read less, and so depend less on what
 * the model does not know. */
static const double better = 0.98;

/* Below a quarter of a tile, most of what a group does is thrown away. */
static bool fills_a_tile(const struct clg_problem *problem, const struct clg_params *row) {
    return 4 * problem->m >= row->tile_m && 4 * problem->n >= row->tile_n &&
           4 * problem->k >= row->tile_k;
}

/* Whether `slices` are worth a look, after all smaller numbers were. */
static bool may_split(const struct clg_problem *problem, const struct clg_facts *facts,
                      const struct clg_params *row, int slices, int slices_before) {
    const int64_t tiles =
        clg_ceil_div(problem->m, row->tile_m) * clg_ceil_div(problem->n, row->tile_n);
    return facts->kind != CLG_DEVICE_CPU && problem->k >= (int64_t)slices * row->tile_k &&
           tiles * slices_before <= ENOUGH_GROUPS * (int64_t)facts->compute_units;
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
    const double scalar_us = clg_tiled_time(problem, facts, index, depth, 1) - us;
    return us +
           reading_us(&a, scalar_us, may_pack ? clg_tiled_pack_us(&a, facts) : HUGE_VAL,
                      &candidate->pack_a) +
           reading_us(&b, scalar_us, may_pack ? clg_tiled_pack_us(&b, facts) : HUGE_VAL,
                      &candidate->pack_b);
}

bool clg_tiled_choose(const struct clg_problem *problem, const struct clg_facts *facts,
                      struct clg_params *out) {
    size_t count;
    const struct clg_params *rows = clg_tiled_rows(facts->kind, &count);
    const bool may_pack = !clg_tiled_pack_why_not(problem, facts);
    double best = HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        struct clg_params candidate = rows[i];
        if (!fills_a_tile(problem, &candidate) || clg_tiled_why_not(problem, facts, &candidate))
            continue;
        for (size_t s = 0; s < sizeof splits / sizeof *splits; s++) {
            if (s > 0 && !may_split(problem, facts, &candidate, splits[s], splits[s - 1]))
                break;
            candidate.split_k = splits[s];
            const double us = candidate_us(problem, facts, i, &candidate, may_pack);
            if (us < better * best && !clg_tiled_split_why_not(problem, facts, &candidate)) {
                best = us;
                *out = candidate;
            }
        }
    }
    return best < HUGE_VAL;
}
