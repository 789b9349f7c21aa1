/* SPDX-License-Identifier: Apache-2.0
 * The dot family: the residues of doubles as in `residues`, multiplied by dot products of four
 * bytes, which most GPUs have (NVIDIA's dp4a, AMD's v_dot4, cl_khr_integer_dot_product), or on
 * NVIDIA's tensor cores by mma, from 8.0 on. It pays
 * where doubles are slow or missing: on most consumer GPUs they have a 64th of the rate of floats,
 * and products of bytes two to four times that rate. Tiles with an infinity or a NaN are left to
 * the kernel of tiled, or of direct. */
#include "base/checked.h"
#include "gemm/residues/residues.h"
#include "gemm/tiled/tiled.h"

enum { ROW_BYTES = CLG_RESIDUES_ROW_BYTES, VECTOR = 4, VECTOR_BYTES = 16 };

/* What tiled computes left-out tiles with: few registers, as arithmetic on doubles is the limit. On
 * devices without it, direct computes them. */
static const struct clg_params strict = {.tile_m = 32,
                                         .tile_n = 32,
                                         .tile_k = 8,
                                         .wg_m = 16,
                                         .wg_n = 16,
                                         .wg_k = 1,
                                         .lanes_m = 8,
                                         .lanes_n = 4,
                                         .vec_a = 1,
                                         .vec_b = 1,
                                         .stages = 2,
                                         .band_m = 8};
static const struct clg_params soft = {.tile_m = 32, .tile_n = 32, .wg_m = 16, .wg_n = 16};

static struct clg_residues how_on(const struct clg_facts *facts) {
    return (struct clg_residues){.source = "residues_dot",
                                 .norms = "residues_dot_norms",
                                 .product_options = facts->mma ? " -DMMA=1" : "",
                                 .options = " -DBY_WORDS=1",
                                 .crt_each = {2, 2},
                                 .rest = facts->has_fp64 ? &clg_family_tiled : &clg_family_direct,
                                 .rest_params = facts->has_fp64 ? &strict : &soft};
}

/* Whether each work-item copies as many whole vectors of a tile of bytes. */
static bool shares_evenly(const struct clg_params *p, int outer) {
    return outer * p->tile_k % (VECTOR_BYTES * p->wg_m * p->wg_n) == 0;
}

static const char *unsupported_reason(const struct clg_problem *problem,
                                      const struct clg_facts *facts, const struct clg_params *p) {
    enum { LEAST = 64, MOST = 128, SUMS = 64, MMA_SUMS = 128, DP4A = 61 };
    enum { MMA_ITEMS_M = 4, MMA_ROWS = 8, MMA_ITEMS_N = 8, MMA_BYTES = 32, MMA_PADDING = 8 };
    const int pitches = p->tile_m + p->tile_n + (facts->mma ? 2 * MMA_PADDING : 0);
    if (facts->capability && facts->capability < DP4A)
        return "the device has no instruction for dot products of bytes";
    if ((p->tile_m != LEAST && p->tile_m != MOST) || (p->tile_n != LEAST && p->tile_n != MOST))
        return "TILE_M or TILE_N is neither 64 nor 128";
    if (p->wg_m <= 0 || p->wg_n <= 0 || p->tile_m % (p->wg_m * VECTOR) ||
        p->tile_n % (p->wg_n * VECTOR) ||
        p->tile_m * p->tile_n > (facts->mma ? MMA_SUMS : SUMS) * p->wg_m * p->wg_n)
        return "a work-item has no vectors of rows and columns, or too many";
    if (facts->mma && (p->wg_m % MMA_ITEMS_M || p->wg_n % MMA_ITEMS_N ||
                       p->tile_m % (p->wg_m * MMA_ROWS) || p->tile_k % MMA_BYTES))
        return "the work-items are not warps of 4 x 8 with 8 rows each";
    if (p->tile_k <= 0 || p->tile_k % VECTOR || ROW_BYTES % p->tile_k || p->band_m <= 0 ||
        !shares_evenly(p, p->tile_m) || !shares_evenly(p, p->tile_n))
        return "the kernel does not support this TILE_K or BAND_M";
    if (2 * (uint64_t)p->tile_k * (uint64_t)pitches > facts->local_memory)
        return "the tiles do not fit local memory";
    const struct clg_residues how = how_on(facts);
    const char *why = clg_residues_unsupported_reason(&how, problem, facts, p);
    return why ? why : clg_group_unsupported_reason(facts, (int64_t)p->wg_m * p->wg_n);
}

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *p) {
    const struct clg_residues how = how_on(facts);
    (void)problem;
    clg_residues_plan(plan, &how, facts, p);
}

static struct clg_tile tile(const struct clg_params *p) {
    const struct clg_residues how = {.rest_params = &strict}; /* the other has the same tile */
    return clg_residues_tile(&how, p);
}

/* ---- Candidates ---- */

/* Units take groups in turn; a smaller tile reads more of local memory for each product. */
static double us_of(const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_costs *costs, const struct clg_params *p) {
    const int64_t slab = clg_residues_slab(problem, facts, p);
    const int64_t groups = clg_residues_planes(problem) * clg_residues_tiles(problem, p, slab);
    const double rounds = (double)clg_ceil_div(groups, clg_tiled_units(facts));
    const double products =
        (double)p->tile_m * p->tile_n * (double)clg_residues_stages(problem) * ROW_BYTES;
    return clg_residues_us(problem, costs, slab, rounds * products / costs->dot_products);
}

static void candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_costs *costs, struct clg_list *list) {
    const struct clg_cost_rows all = clg_costs_of(costs, &clg_family_dot);
    for (size_t i = 0; i < all.count && costs->dot_products > 0; i++)
        if (!unsupported_reason(problem, facts, &all.rows[i].params))
            clg_list_add(list, &clg_family_dot, &all.rows[i].params,
                         us_of(problem, facts, costs, &all.rows[i].params), "multiply-adds");
}

/* ---- For the tuner ---- */

static const struct clg_axis axes_of[] = {
    CLG_AXIS(tile_m, PLAIN, 64, 128), CLG_AXIS(tile_n, PLAIN, 64, 128),
    CLG_AXIS(tile_k, PLAIN, 32, 64),  CLG_AXIS(wg_m, PLAIN, 8, 16),
    CLG_AXIS(wg_n, PLAIN, 8, 16),     CLG_AXIS(band_m, PLAIN, 1, 8, 32),
};

static const struct clg_axes axes = {
    .axes = axes_of, .count = CLG_AXES_COUNT(axes_of), .shape_axes = 2, .core_axes = 5};

const struct clg_family clg_family_dot = {
    .name = "dot",
    .chosen_for = "int8-dot-products",
    .types = 1U << CLGEMM_F64,
    .pairs = true,
    .soft = true,
    .schemes = 1U << CLG_SCHEME_BOTH,
    .premise = offsetof(struct clg_facts, mma), /* if there are any */
    .unsupported_reason = unsupported_reason,
    .candidates = candidates,
    .plan = plan,
    .tile = tile,
    .axes = &axes,
};
