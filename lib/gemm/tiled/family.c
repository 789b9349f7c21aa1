/* SPDX-License-Identifier: Apache-2.0
 * The tiled family: tiles of A and B in local memory, a tile of C in registers (kernels/tiled.cl).
 *
 * Operands are read in place in all four transposes. An operand whose columns are not aligned for
 * vector loads is read in single elements, or packed first (kernels/pack.cl): the model decides.
 */
#include <math.h>

#include "base/checked.h"
#include "gemm/tiled/model.h"

enum { VECTOR = CLG_WIDEST_VECTOR, PACK_GROUP = 256, PACK_SIDE = 32 }; /* as in pack.cl */

/* ---- The predicate ---- */

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
    return clg_group_unsupported_reason(facts, PACK_GROUP);
}

uint64_t clg_tiled_local_bytes(const struct clg_params *p, int pad, clgemm_type type) {
    const int64_t rows_a = p->private_a ? 0 : (int64_t)p->tile_m + pad;
    const int64_t rows_b = p->private_b ? 0 : (int64_t)p->tile_n + pad;
    return (uint64_t)((rows_a + rows_b) * p->tile_k * p->stages) * clg_type_real_size(type);
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

/* Why work-items cannot share their registers of B, or NULL. */
static const char *spread_unsupported_reason(const struct clg_facts *facts,
                                             const struct clg_params *p) {
    const int lanes_m = p->lanes_m ? p->lanes_m : p->wg_m;
    if (p->spread_b == 0)
        return NULL;
    if (facts->exchange == 0 || facts->exchange % (unsigned)p->spread_b)
        return "the device's work-items do not exchange registers";
    if (p->lanes_n > 1 || (unsigned)lanes_m % facts->exchange || p->tile_n / p->wg_n % p->spread_b)
        return "a SIMD group does not share columns of B";
    if (p->private_a || p->private_b || p->in_place || clg_tiled_wg_slices(p) > 1)
        return "shared registers need local tiles, and k that is not sliced";
    return NULL;
}

static const char *unsupported_reason(const struct clg_problem *problem,
                                      const struct clg_facts *facts, const struct clg_params *p) {
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
    if (!why)
        why = spread_unsupported_reason(facts, p);
    if (why)
        return why;
    if (!reads_evenly(p, p->tile_m, p->vec_a, p->private_a) ||
        !reads_evenly(p, p->tile_n, p->vec_b, p->private_b))
        return "a tile of A or B does not divide evenly among the work-items";
    if (p->pad_local % VECTOR || p->tile_m % VECTOR || p->tile_n % VECTOR)
        return "rows of a local tile are not aligned to vectors";
    if (clg_tiled_local_bytes(p, p->pad_local, problem->type) > facts->local_memory)
        return "the tiles do not fit local memory";
    why = clg_tiled_size_unsupported_reason(problem, facts, p);
    if (!why && (p->pack_a || p->pack_b))
        why = clg_tiled_pack_unsupported_reason(problem, facts);
    return why ? why : clg_group_unsupported_reason(facts, clg_tiled_group_size(p));
}

/* ---- The choice ---- */

/* PoCL 3.1 takes up to 15 s to compile the kernel for 16-bit elements, and under 1 s for direct's.
 */
static bool is_left_out(const struct clg_problem *problem, const struct clg_facts *facts) {
    return facts->kind == CLG_DEVICE_CPU && clg_type_is_narrow(problem->type);
}

static void candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_costs *costs, struct clg_list *list) {
    const struct clg_tiled_table table = {
        .family = &clg_family_tiled,
        .costs = costs,
        .slower = problem->type == CLGEMM_F64         ? costs->f64_slower
                  : clg_type_is_narrow(problem->type) ? fmax(1, costs->f16_slower)
                                                      : 1,
        .batch_rounds = 1,
        /* The tiles of one product find elements in the cache that other tiles have loaded. The
         * products of a batch share none, so each round begins with reads from memory. */
        .least_round_us = costs->batch_round_us,
        .packs = true,
        .scatters = true};
    if (!is_left_out(problem, facts))
        clg_tiled_add_rows(&table, problem, facts, list);
}

/* ---- The plan ---- */

static bool is_ahead(const struct clg_problem *problem, enum clg_matrix_index which) {
    return clg_is_ahead(problem, &clg_family_tiled, which);
}

/* The packed layout does not depend on parameters: an operand is packed for all parameters or for
 * none. */
static bool form(const struct clg_problem *problem, const struct clg_facts *facts,
                 enum clg_matrix_index which, struct clg_params *params, struct clg_params *form) {
    const struct clg_reading reading =
        which == CLG_A ? clg_tiled_read_a(problem, params) : clg_tiled_read_b(problem, params);
    (void)form;
    if (!problem->ahead.family &&
        (reading.vec >= reading.full_vec || clg_tiled_pack_unsupported_reason(problem, facts)))
        return false;
    *(which == CLG_A ? &params->pack_a : &params->pack_b) = 1;
    return true;
}

/* Adds the step that packs an operand, and makes *reading that of the packed copy, whose elements
 * are consecutive along `outer`, padded to vectors. */
static void pack(struct clg_plan *plan, enum clg_matrix_index which, struct clg_reading *reading) {
    const int64_t outer = clg_round_up(reading->outer, VECTOR), depth = reading->depth;
    const int64_t size = outer * depth, matrices = clg_problem_matrices(&plan->problem, which);
    const int number = clg_plan_elements(plan, size * matrices);
    if (is_ahead(&plan->problem, which))
        plan->packed = number;
    struct clg_step *step =
        clg_plan_step(plan, "pack", NULL, reading->along_k ? "-DALONG_K=1" : "-DALONG_K=0");
    step->group_size = PACK_GROUP;
    step->groups =
        (uint64_t)clg_ceil_div(outer, PACK_SIDE) * (uint64_t)clg_ceil_div(depth, PACK_SIDE);
    step->batch = (uint64_t)matrices;
    clg_step_int(step, "outer", reading->outer);
    clg_step_int(step, "depth", depth);
    clg_step_matrix(step, "x", which);
    clg_step_offset(step, "x_offset", which);
    clg_step_long(step, "ld", reading->ld);
    clg_step_stride(step, "x_stride", &plan->problem, reading->stride);
    clg_step_int(step, "padded", outer);
    clg_step_workspace(step, "packed", number);
    clg_step_stride(step, "packed_stride", &plan->problem, size);
    clg_step_groups(step, &plan->problem);
    reading->along_k = false;
    reading->vec = reading->full_vec;
    reading->ld = outer;
    reading->stride = matrices > 1 ? size : 0;
    reading->workspace = number;
}

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *p) {
    struct clg_reading a = clg_tiled_read_a(problem, p), b = clg_tiled_read_b(problem, p);
    if (is_ahead(problem, CLG_B))
        pack(plan, CLG_B, &b);
    if (is_ahead(problem, CLG_A) || (p->pack_a && a.vec < a.full_vec))
        pack(plan, CLG_A, &a);
    if (p->pack_b && b.vec < b.full_vec)
        pack(plan, CLG_B, &b);
    const struct clg_tiled_kernel kernel = {
        .source = "tiled",
        .options = "",
        .grain_m = p->tile_m,
        .grain_n = p->tile_n,
    };
    clg_tiled_plan(plan, &kernel, problem, facts, p, &a, &b);
}

/* ---- For the tuner ---- */

enum {
    SMALL_GROUP = 32,
    LARGE_GROUP = 512,
    FEW_ACCUMULATORS = 4,
    MANY_ACCUMULATORS = 128,
    MANY_ACCUMULATORS_CPU = 32, /* PoCL compiles more of them for half a minute, and wrongly */
    REGISTERS = 232,            /* of the 255 that a work-item can have */
};

static const struct clg_axis axes_of[] = {
    CLG_AXIS(tile_m, PLAIN, 4, 8, 16, 32, 64, 128, 256),
    CLG_AXIS(tile_n, PLAIN, 4, 8, 16, 32, 64, 128, 256),
    CLG_AXIS(wg_m, PLAIN, 2, 4, 8, 16, 32),
    CLG_AXIS(wg_n, PLAIN, 2, 4, 8, 16, 32),
    CLG_AXIS(spread_b, PLAIN, 0, 8),
    CLG_AXIS(tile_k, PLAIN, 8, 16, 32, 64),
    CLG_AXIS(wg_k, PLAIN, 1, 2, 4),
    CLG_AXIS(private_a, PLAIN, 0, 1),
    CLG_AXIS(private_b, PLAIN, 0, 1),
    CLG_AXIS(in_place, PLAIN, 0, 1),
    CLG_AXIS(lanes_m, PATCH, 0, 2, 4, 8, 16, 32),
    CLG_AXIS(vec_a, PLAIN, 1, 2, 4),
    CLG_AXIS(vec_b, PLAIN, 1, 2, 4),
    CLG_AXIS(stages, PLAIN, 1, 2),
    CLG_AXIS(pad_local, PLAIN, 0, 4),
    CLG_AXIS(pack_a, PLAIN, 0, 1),
    CLG_AXIS(pack_b, PLAIN, 0, 1),
    CLG_AXIS(band_m, PLAIN, 1, 4, 8, 16, 32),
    CLG_AXIS(split_k, PLAIN, 0, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256),
    CLG_AXIS(split_tail, PLAIN, 0, 2, 4, 8, 16),
    CLG_AXIS(unroll_k, PLAIN, 0),
};

static const char *shape_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                const struct clg_params *p) {
    const bool cpu = facts->kind == CLG_DEVICE_CPU;
    if (p->tile_m % p->wg_m || p->tile_n % p->wg_n)
        return "a tile of C does not divide evenly among the work-items";
    const int reg_m = p->tile_m / p->wg_m, reg_n = p->tile_n / p->wg_n,
              accumulators = reg_m * reg_n;
    const int group = p->wg_m * p->wg_n * p->wg_k;
    if (p->spread_b && (facts->exchange == 0 || reg_n % p->spread_b))
        return "work-items do not share registers of B";
    if (group > LARGE_GROUP || (!cpu && group < SMALL_GROUP))
        return "a group has fewer than 32 work-items, or more than 512";
    if (accumulators < FEW_ACCUMULATORS ||
        accumulators > (cpu ? MANY_ACCUMULATORS_CPU : MANY_ACCUMULATORS))
        return "a work-item has fewer than 4 accumulators, or too many";
    if (accumulators + 2 * (reg_m + reg_n) + (p->tile_m + p->tile_n) * p->tile_k / group >
        REGISTERS)
        return "a work-item needs too many registers";
    if (clg_overhangs(problem->m, p->tile_m) || clg_overhangs(problem->n, p->tile_n) ||
        clg_overhangs(problem->k, p->tile_k))
        return "less than a quarter of a tile is used";
    return NULL;
}

/* Whether an operand is read in place in vectors as wide as the row's, or is packed because it
 * cannot be. */
static bool reads_well(const struct clg_reading *in_place, int pack) {
    return pack ? in_place->vec < in_place->full_vec : in_place->vec == in_place->full_vec;
}

/* Whether a private operand is read in narrower vectors than the candidate says: it is read in
 * single elements along k, and in a fragment's vectors at most. */
static bool reads_less(const struct clg_reading *in_place, int pack, int reg) {
    return in_place->full_vec > (in_place->along_k && !pack ? 1 : clg_tiled_fragment(reg));
}

static const char *bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_params *p) {
    const int widest = (int)clg_type_vector(problem->type);
    if (p->vec_a > widest || p->vec_b > widest)
        return "a vector is wider than the type's widest";
    const struct clg_reading a = clg_tiled_read_a(problem, p), b = clg_tiled_read_b(problem, p);
    if (p->lanes_m > 0 && (p->wg_m % p->lanes_m || p->wg_n % p->lanes_n))
        return "a group is not made of whole patches of lanes";
    if (!reads_well(&a, p->pack_a) || !reads_well(&b, p->pack_b))
        return "an operand is packed needlessly, or cannot be read in vectors of this width";
    if ((p->private_a && reads_less(&a, p->pack_a, p->tile_m / p->wg_m)) ||
        (p->private_b && reads_less(&b, p->pack_b, p->tile_n / p->wg_n)))
        return "a private operand is read in narrower vectors";
    return clg_tiled_cut_bounds(problem, facts, p);
}

static const struct clg_axes axes = {
    .axes = axes_of,
    .count = CLG_AXES_COUNT(axes_of),
    .shape_axes = 7,
    .core_axes = 17,
    .shape_unsupported_reason = shape_bounds,
    .unsupported_reason = bounds,
};

static enum clg_scheme scheme(const struct clg_params *p) {
    return p->in_place                    ? CLG_SCHEME_LOCAL
           : p->private_a && p->private_b ? CLG_SCHEME_PRIVATE
           : p->private_a || p->private_b ? CLG_SCHEME_LOCAL_PRIVATE
                                          : CLG_SCHEME_BOTH;
}

static bool variant(int number, const struct clg_params *params, struct clg_params *out) {
    enum { ONE_PRIVATE, OTHER_PRIVATE, BOTH_PRIVATE, IN_PLACE, VARIANTS };
    if (number >= VARIANTS)
        return false;
    *out = *params;
    out->private_a = number == ONE_PRIVATE || number == BOTH_PRIVATE;
    out->private_b = number == OTHER_PRIVATE || number == BOTH_PRIVATE;
    out->in_place = number == IN_PLACE;
    if (number != IN_PLACE)
        out->wg_k = 0;
    if (number == BOTH_PRIVATE)
        out->stages = 1;
    return true;
}

const struct clg_family clg_family_tiled = {
    .name = "tiled",
    .chosen_for = "tiles",
    .types = 1U << CLGEMM_F32 | 1U << CLGEMM_F64 | 1U << CLGEMM_F16 | 1U << CLGEMM_BF16,
    .strict = true,
    .triangles = true,
    .schemes = 1U << CLG_SCHEME_LOCAL | 1U << CLG_SCHEME_LOCAL_PRIVATE | 1U << CLG_SCHEME_PRIVATE |
               1U << CLG_SCHEME_BOTH,
    .unsupported_reason = unsupported_reason,
    .candidates = candidates,
    .form = form,
    .plan = plan,
    .axes = &axes,
    .scheme = scheme,
    .variant = variant,
};
