/* SPDX-License-Identifier: Apache-2.0
 * The tiled family's choice: every row with every number of slices, by the model. */
#include "base/checked.h"
#include "gemm/tiled_model.h"

/* Numbers of slices to consider. */
static const int splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};

/* With so many groups a unit, more slices only make more work. */
enum { ENOUGH_GROUPS = 8 };

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

/* What reading an operand costs beyond what the model of the row counts, and whether it is packed
 * for that. */
static double reading_us(const struct clg_reading *reading, const struct clg_problem *problem,
                         const struct clg_facts *facts, const struct clg_params *row, int *pack) {
    *pack = 0;
    if (reading->vec == reading->wanted)
        return 0;
    const double scalar = clg_tiled_scalar_us(problem, facts, row);
    const double packed = clg_tiled_pack_us(reading, facts);
    *pack = packed < scalar && !clg_tiled_pack_why_not(problem, facts);
    return *pack ? packed : scalar;
}

bool clg_tiled_choose(const struct clg_problem *problem, const struct clg_facts *facts,
                      struct clg_params *out) {
    size_t count;
    const struct clg_params *rows = clg_tiled_rows(facts->kind, &count);
    double best = 0;
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        struct clg_params candidate = rows[i];
        if (!fills_a_tile(problem, &candidate) || clg_tiled_why_not(problem, facts, &candidate))
            continue;
        const struct clg_reading a = clg_tiled_read_a(problem, &candidate);
        const struct clg_reading b = clg_tiled_read_b(problem, &candidate);
        const double reading = reading_us(&a, problem, facts, &candidate, &candidate.pack_a) +
                               reading_us(&b, problem, facts, &candidate, &candidate.pack_b);
        for (size_t s = 0; s < sizeof splits / sizeof *splits; s++) {
            if (s > 0 && !may_split(problem, facts, &candidate, splits[s], splits[s - 1]))
                break;
            candidate.split_k = splits[s];
            const double time =
                reading +
                clg_tiled_time(problem, facts, i, clg_tiled_slice_depth(problem, &candidate));
            if ((!found || time < best) && !clg_tiled_split_why_not(problem, facts, &candidate)) {
                best = time;
                found = true;
                *out = candidate;
            }
        }
    }
    return found;
}
