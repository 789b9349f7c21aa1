/* SPDX-License-Identifier: Apache-2.0
 * The tiled family's division of tiles and k among groups. */
#include "base/checked.h"
#include "gemm/reduce.h"
#include "gemm/tiled/tiled.h"

int64_t clg_tiled_units(const struct clg_facts *facts) {
    const uint32_t units =
        facts->compute_units / (facts->arch.local_units ? facts->arch.local_units : 1);
    return units ? units : 1;
}

static int64_t tiles_of(int64_t m, int64_t n, const struct clg_params *p) {
    return clg_ceil_div(m, p->tile_m) * clg_ceil_div(n, p->tile_n);
}

/* The tiles of the last round of the compute units: from one to the number of units. */
static int64_t tail_of(int64_t tiles, const struct clg_facts *facts) {
    return (tiles - 1) % clg_tiled_units(facts) + 1;
}

bool clg_tiled_leaves_tail(const struct clg_problem *problem, const struct clg_facts *facts,
                           const struct clg_params *p) {
    const int64_t tiles = tiles_of(problem->m, problem->n, p), units = clg_tiled_units(facts);
    return tiles > units && tail_of(tiles, facts) < units;
}

struct clg_cut clg_tiled_cut(const struct clg_problem *problem, const struct clg_facts *facts,
                             const struct clg_params *p) {
    const int wanted = p->split_tail > 1 ? p->split_tail : p->split_k > 1 ? p->split_k : 1;
    struct clg_cut cut = {.tiles = tiles_of(problem->m, problem->n, p),
                          .depth = clg_round_up(clg_ceil_div(problem->k, wanted), p->tile_k)};
    cut.slices = (int)clg_ceil_div(problem->k, cut.depth);
    if (cut.slices == 1)
        cut.whole = cut.tiles;
    else if (p->split_tail > 1)
        cut.whole = cut.tiles - tail_of(cut.tiles, facts);
    return cut;
}

bool clg_tiled_joins(const struct clg_problem *problem, const struct clg_cut *cut,
                     const struct clg_params *p, int64_t joined) {
    const int64_t bytes =
        (int64_t)cut->slices * p->tile_m * p->tile_n * (int64_t)clg_type_real_size(problem->type);
    const int64_t sums = (int64_t)p->tile_m * p->tile_n / clg_tiled_slice_size(p);
    return cut->slices > 1 && problem->batch == 1 && cut->tiles - cut->whole <= CLG_COUNTERS &&
           sums % CLG_WIDEST_VECTOR == 0 && bytes <= joined;
}

int64_t clg_tiled_tail_elements(const struct clg_cut *cut, const struct clg_params *p) {
    return (cut->tiles - cut->whole) * cut->slices * p->tile_m * p->tile_n;
}

const char *clg_tiled_cut_unsupported_reason(const struct clg_problem *problem,
                                             const struct clg_facts *facts,
                                             const struct clg_params *p) {
    if (p->split_k > 1 && p->split_tail > 1)
        return "both SPLIT_K and SPLIT_TAIL split the tiles";
    if (p->split_tail > 1 && problem->batch > 1)
        return "the products of a batch have no tails of their own";
    const struct clg_cut cut = clg_tiled_cut(problem, facts, p);
    if (cut.slices == 1)
        return NULL;
    const double elements = (double)clg_tiled_tail_elements(&cut, p) * (double)problem->batch;
    const double bytes = elements * (double)clg_type_real_size(problem->type);
    if (bytes > (double)facts->max_allocation ||
        bytes > clg_workspace_room(problem, facts) * CLG_TILED_SLICES_SHARE)
        return "the slices do not fit the device's memory";
    return clg_reduce_unsupported_reason(facts); /* groups of join.cl have the same size */
}
