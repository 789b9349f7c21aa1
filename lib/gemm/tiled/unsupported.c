/* SPDX-License-Identifier: Apache-2.0
 * The tiled family's predicate, with one reason per line. */
#include "base/checked.h"
#include "gemm/reduce.h"
#include "gemm/tiled/tiled.h"

enum { VECTOR = CLG_WIDEST_VECTOR };

static uint64_t local_bytes(const struct clg_params *p, clgemm_type type) {
    const int64_t rows_a = p->private_a ? 0 : (int64_t)p->tile_m + p->pad_local;
    const int64_t rows_b = p->private_b ? 0 : (int64_t)p->tile_n + p->pad_local;
    return (uint64_t)((rows_a + rows_b) * p->tile_k * p->stages) * clg_type_real_size(type);
}

int64_t clg_tiled_slices_elements(const struct clg_params *p) {
    return (int64_t)clg_tiled_wg_slices(p) / 2 * p->tile_m * p->wg_n *
           clg_tiled_fragment(p->tile_n / p->wg_n);
}

static bool accumulators_fit(const struct clg_params *p) {
    const int outer = p->tile_m > p->tile_n ? p->tile_m : p->tile_n;
    return clg_tiled_slices_elements(p) <= (int64_t)p->stages * p->tile_k * outer;
}

/* Whether a tile of `outer` x TILE_K divides evenly among the group's work-items, in vectors of
 * `vec` elements. */
static bool shares_evenly(const struct clg_params *p, int outer, int vec) {
    return vec > 0 && outer % vec == 0 && p->tile_k % vec == 0 &&
           (int64_t)outer * p->tile_k % (vec * clg_tiled_group_size(p)) == 0;
}

/* The same if the operand has a local tile; else only whether such vectors exist. */
static bool reads_evenly(const struct clg_params *p, int outer, int vec, int is_private) {
    return is_private ? clg_is_vector(vec) : shares_evenly(p, outer, vec);
}

/* Why kernels/tiled_operands.h does not support a placement of A and B, or NULL. */
static const char *placement_unsupported_reason(const struct clg_params *p) {
    if (p->private_a > 1 || p->private_b > 1 || p->in_place > 1)
        return "PRIVATE_A, PRIVATE_B or IN_PLACE is neither 0 nor 1";
    if (p->in_place && (p->private_a || p->private_b))
        return "an operand cannot be private and in place";
    if (clg_tiled_wg_slices(p) > 1 && (p->private_a || p->private_b))
        return "sliced K needs local tiles of both operands";
    if (p->private_a && p->private_b && (p->stages != 1 || p->pad_local))
        return "STAGES and PAD_LOCAL need a local tile";
    return NULL;
}

const char *clg_tiled_pack_unsupported_reason(const struct clg_problem *problem,
                                              const struct clg_facts *facts) {
    const int64_t outer = problem->m > problem->n ? problem->m : problem->n;
    const double depth = (double)problem->k * (double)clg_type_size(problem->type);
    const double bytes =
        (double)clg_round_up(outer, VECTOR) * depth * (double)problem->batch; /* at most */
    const double both =
        (double)(clg_round_up(problem->m, VECTOR) + clg_round_up(problem->n, VECTOR)) * depth *
        (double)problem->batch;
    if (bytes > (double)facts->max_allocation ||
        both > clg_workspace_room(problem, facts) * (1 - CLG_TILED_SLICES_SHARE))
        return "a packed operand does not fit the device's memory";
    return clg_group_unsupported_reason(facts, CLG_TILED_PACK_GROUP);
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

const char *clg_tiled_unsupported_reason(const struct clg_problem *problem,
                                         const struct clg_facts *facts,
                                         const struct clg_params *p) {
    const int lanes_m = p->lanes_m ? p->lanes_m : p->wg_m, lanes_n = p->lanes_n ? p->lanes_n : 1;
    if (p->tile_m <= 0 || p->tile_n <= 0 || p->tile_k <= 0 || p->wg_m <= 0 || p->wg_n <= 0 ||
        p->band_m <= 0)
        return "a size is missing";
    if (p->stages != 1 && p->stages != 2)
        return "STAGES is neither 1 nor 2";
    if (p->tile_k < 2 || (p->tile_k & (p->tile_k - 1)))
        return "TILE_K is not a power of two";
    if (p->tile_m % p->wg_m || p->tile_n % p->wg_n)
        return "a tile of C does not divide evenly among the work-items";
    if ((clg_tiled_wg_slices(p) & (clg_tiled_wg_slices(p) - 1)) ||
        p->tile_k / clg_tiled_wg_slices(p) < 2)
        return "TILE_K does not divide evenly into a power of two of slices";
    if (!accumulators_fit(p))
        return "the accumulators of a group's slices do not fit a local tile";
    if (p->wg_m % lanes_m || p->wg_n % lanes_n)
        return "a group is not made of whole patches of lanes";
    const char *why = placement_unsupported_reason(p);
    if (why)
        return why;
    if (!reads_evenly(p, p->tile_m, p->vec_a, p->private_a) ||
        !reads_evenly(p, p->tile_n, p->vec_b, p->private_b))
        return "a tile of A or B does not divide evenly among the work-items";
    if (p->pad_local % VECTOR || p->tile_m % VECTOR || p->tile_n % VECTOR)
        return "rows of a local tile are not aligned to vectors";
    if (local_bytes(p, problem->type) > facts->local_memory)
        return "the tiles do not fit local memory";
    why = clg_tiled_size_unsupported_reason(problem, facts, p);
    if (!why && (p->pack_a || p->pack_b))
        why = clg_tiled_pack_unsupported_reason(problem, facts);
    return why ? why : clg_group_unsupported_reason(facts, clg_tiled_group_size(p));
}
