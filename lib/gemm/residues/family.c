/* SPDX-License-Identifier: Apache-2.0
 * The residues family: doubles become integers, whose product Hopper's INT8 tensor cores compute
 * modulo thirteen or fourteen small numbers (kernels/residues.h). Tiles with an infinity or a NaN
 * in their rows of A or columns of B are left to the kernel of multistage. */
#include "base/checked.h"
#include "gemm/residues/residues.h"
#include "gemm/tiled/tiled.h"

enum { GROUP = 384, ROW_BYTES = CLG_RESIDUES_ROW_BYTES };

/* What multistage computes left-out tiles with: its row that is fastest where this family is. */
static const struct clg_params strict = {.tile_m = 128,
                                         .tile_n = 128,
                                         .tile_k = 16,
                                         .wg_m = 16,
                                         .wg_n = 16,
                                         .lanes_m = 8,
                                         .lanes_n = 4,
                                         .vec_a = 2,
                                         .vec_b = 2,
                                         .stages = 4,
                                         .band_m = 8};

static const struct clg_residues how = {.source = "residues",
                                        .norms = "residues_norms",
                                        .product_options = "",
                                        .options = "",
                                        .crt_each = {8, 4},
                                        .group_size = GROUP,
                                        .stays = true,
                                        .rest = &clg_family_multistage,
                                        .rest_params = &strict};

static const char *unsupported_reason(const struct clg_problem *problem,
                                      const struct clg_facts *facts, const struct clg_params *p) {
    if (!facts->tensor_cores)
        return "the device has no tensor cores that the library uses";
    if (!((p->tile_m == 192 && p->tile_n == 256) || (p->tile_m == 256 && p->tile_n == 128)))
        return "the tile is neither 192 x 256 nor 256 x 128";
    if (p->tile_k != ROW_BYTES || p->band_m <= 0 || p->stages < 2 ||
        (long)p->stages * ((p->tile_m + p->tile_n) * ROW_BYTES + 16) > clg_local_bytes(facts))
        return "the kernel does not support this TILE_K, BAND_M or STAGES";
    const char *why = clg_residues_unsupported_reason(&how, problem, facts, p);
    return why ? why : clg_group_unsupported_reason(facts, GROUP);
}

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *p) {
    (void)problem;
    clg_residues_plan(plan, &how, facts, p);
}

static struct clg_tile tile(const struct clg_params *p) {
    return clg_residues_tile(&how, p);
}

/* ---- Candidates ---- */

/* A group computes tiles of its columns, `row_us` for a row's stage of 128 columns. */
static double us_of(const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_costs *costs, const struct clg_params *p) {
    const int64_t slab = clg_residues_slab(problem, facts, p);
    const int64_t tiles = clg_residues_tiles(problem, p, slab), units = clg_tiled_units(facts);
    const int certificates = clg_residues_is_certified(problem);
    const int64_t products = (clg_residues_planes(problem) - certificates) * tiles;
    const double rounds =
        (double)(clg_ceil_div(products, units) + certificates * clg_ceil_div(tiles, units));
    const double rows = (double)p->tile_m * p->tile_n / 128;
    const double row = (double)clg_residues_stages(problem) * costs->residues_row_us;
    return clg_residues_us(problem, costs, slab, rounds * rows * (row + costs->residues_reduce_us));
}

static void candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_costs *costs, struct clg_list *list) {
    const struct clg_cost_rows all = clg_costs_of(costs, &clg_family_residues);
    for (size_t i = 0; i < all.count; i++)
        if (!unsupported_reason(problem, facts, &all.rows[i].params))
            clg_list_add(list, &clg_family_residues, &all.rows[i].params,
                         us_of(problem, facts, costs, &all.rows[i].params), "multiply-adds");
}

/* ---- For the tuner ---- */

static const struct clg_axis axes_of[] = {
    CLG_AXIS(tile_m, PLAIN, 192, 256),        CLG_AXIS(tile_n, PLAIN, 128, 256),
    CLG_AXIS(tile_k, PLAIN, ROW_BYTES),       CLG_AXIS(stages, PLAIN, 2, 3, 4),
    CLG_AXIS(band_m, PLAIN, 1, 4, 8, 16, 32),
};

static const struct clg_axes axes = {
    .axes = axes_of, .count = CLG_AXES_COUNT(axes_of), .shape_axes = 2, .core_axes = 4};

const struct clg_family clg_family_residues = {
    .name = "residues",
    .chosen_for = "int8-tensor-cores",
    .types = 1U << CLGEMM_F64,
    .pairs = true,
    .schemes = 1U << CLG_SCHEME_TENSOR,
    .premise = offsetof(struct clg_facts, tensor_cores),
    .unsupported_reason = unsupported_reason,
    .candidates = candidates,
    .plan = plan,
    .tile = tile,
    .axes = &axes,
};
