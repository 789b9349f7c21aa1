/* SPDX-License-Identifier: Apache-2.0
 * How tiles and k are divided among groups: as parameters say, and in words. */
#include "base/checked.h"
#include "gemm/reduce.h"
#include "gemm/tiled/tiled.h"

int64_t clg_tiled_units(const struct clg_facts *facts) {
    const uint32_t units =
        facts->compute_units / (facts->arch.local_units ? facts->arch.local_units : 1);
    return units ? units : 1;
}

static int64_t tiles_of(const struct clg_problem *problem, const struct clg_params *p) {
    return clg_problem_tiles(problem, p->tile_m, p->tile_n);
}

/* The tiles of the last round of the compute units: from one to the number of units. */
static int64_t tail_of(int64_t tiles, const struct clg_facts *facts) {
    return (tiles - 1) % clg_tiled_units(facts) + 1;
}

bool clg_tiled_leaves_tail(const struct clg_problem *problem, const struct clg_facts *facts,
                           const struct clg_params *p) {
    const int64_t tiles = tiles_of(problem, p), units = clg_tiled_units(facts);
    return tiles > units && tail_of(tiles, facts) < units;
}

struct clg_cut clg_tiled_cut(const struct clg_problem *problem, const struct clg_facts *facts,
                             const struct clg_params *p) {
    const int wanted = p->split_tail > 1 ? p->split_tail : p->split_k > 1 ? p->split_k : 1;
    struct clg_cut cut = {.tiles = tiles_of(problem, p),
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

const char *clg_tiled_size_unsupported_reason(const struct clg_problem *problem,
                                              const struct clg_facts *facts,
                                              const struct clg_params *p) {
    const int64_t most = INT32_MAX - 4096; /* indices of rows past the last tile stay ints */
    if (problem->m > most || problem->n > most || problem->k > most)
        return "a dimension exceeds 2^31";
    if (clg_ceil_div(problem->m, p->tile_m) * clg_ceil_div(problem->n, p->tile_n) >
        most / (p->split_k > 1 ? p->split_k : 1) / problem->batch)
        return "there are more than 2^31 tiles";
    return clg_tiled_cut_unsupported_reason(problem, facts, p);
}

int64_t clg_tiled_slices_elements(const struct clg_params *p) {
    return (int64_t)clg_tiled_wg_slices(p) / 2 * p->tile_m * p->wg_n *
           clg_tiled_fragment(p->tile_n / p->wg_n);
}

/* ---- For the tuner ---- */

enum { ENOUGH_GROUPS = 16 }; /* per compute unit */

const char *clg_tiled_cut_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                 const struct clg_params *p) {
    if (p->split_k > 1 && p->split_tail > 1)
        return "both SPLIT_K and SPLIT_TAIL split the tiles";
    const struct clg_cut cut = clg_tiled_cut(problem, facts, p);
    const int64_t tiles_m = clg_ceil_div(problem->m, p->tile_m);
    if (p->band_m > 1 && tiles_m <= (p->band_m == 4 ? 1 : p->band_m / 2))
        return "a narrower band holds all tiles along m";
    if (p->split_k > 1 &&
        (problem->k < (int64_t)p->split_k * p->tile_k || cut.slices != p->split_k))
        return "k does not divide into this number of slices";
    if (p->split_tail > 1 &&
        (problem->k < (int64_t)p->split_tail * p->tile_k || cut.slices != p->split_tail))
        return "k does not divide into this number of slices of the tail";
    if (p->split_tail > 1 && !clg_tiled_leaves_tail(problem, facts, p))
        return "there is no tail to split";
    if ((cut.tiles - cut.whole) * cut.slices > ENOUGH_GROUPS * (int64_t)facts->compute_units)
        return "the device is full with fewer slices";
    return NULL;
}
