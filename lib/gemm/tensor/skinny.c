/* SPDX-License-Identifier: Apache-2.0
 * The skinny family: the smaller operand is packed for the tensor cores, and the larger one, the
 * wide operand, is read in place (kernels/tensor_skinny.cl). */
#include <math.h>
#include <stdio.h>

#include "base/checked.h"
#include "gemm/tensor/tensor.h"

enum {
    WIDE = 128,               /* rows of the wide operand in a group */
    NARROWEST = 32,           /* least rows of the other one in a group */
    MOST_NARROW = 512,        /* most rows of it in all: beyond that, packing both is better */
    LOCAL_BYTES = 227 * 1024, /* local memory of a work-group on Hopper */
    PAD = 8                   /* after a line of BLOCK_K floats, as in the kernel */
};

/* NORMWISE has blocks half as deep as if both operands were packed, so that registers suffice. */
static const struct clg_tensor_way normwise = {
    CLGEMM_F32,
    CLGEMM_MATH_NORMWISE,
    "-DPART_TYPE=F16 -DSPLIT=2 -DBLOCK=2 -DPROMOTED=1 -DSCALE_TO=14",
    2,
    2,
    2,
    true,
    32};

static const struct clg_tensor_way *way_of(const struct clg_problem *problem) {
    if (problem->type != CLGEMM_F32)
        return NULL;
    return problem->math == CLGEMM_MATH_NORMWISE   ? &normwise
           : problem->math == CLGEMM_MATH_ACCURATE ? clg_tensor_way(problem)
                                                   : NULL;
}

/* Which operand is wide: the one that is not packed. */
static enum clg_matrix_index wide_of(const struct clg_params *p) {
    return p->narrow_a ? CLG_B : CLG_A;
}
static enum clg_matrix_index narrow_of(const struct clg_params *p) {
    return p->narrow_a ? CLG_A : CLG_B;
}
static int narrow_tile(const struct clg_params *p) {
    return p->narrow_a ? p->tile_m : p->tile_n;
}
static int64_t rows_of(const struct clg_problem *problem, enum clg_matrix_index which) {
    return which == CLG_A ? problem->m : problem->n;
}

static uint64_t local_bytes(const struct clg_tensor_way *way, const struct clg_params *p) {
    const int64_t narrow = way->block * clg_tensor_stage_bytes(way, narrow_tile(p));
    const int64_t wide = (int64_t)WIDE * (clg_tensor_block_k(way) + PAD) * 4;
    const int64_t scales = (int64_t)4 * narrow_tile(p);
    return (uint64_t)(p->stages * (narrow + wide + scales + 16));
}

static const char *shape_unsupported_reason(const struct clg_params *p) {
    const int narrow = narrow_tile(p);
    if (p->narrow_a > 1)
        return "NARROW_A is neither 0 nor 1";
    if ((p->narrow_a ? p->tile_n : p->tile_m) != WIDE)
        return "the wide operand's tile is not 128";
    if (narrow != NARROWEST && narrow != 2 * NARROWEST && narrow != 4 * NARROWEST)
        return "the packed operand's tile is none of 32, 64 and 128";
    if (p->band_m <= 0)
        return "BAND_M is missing";
    return p->stages < 2 ? "a ring has at least two stages" : NULL;
}

static const char *unsupported_reason(const struct clg_problem *problem,
                                      const struct clg_facts *facts, const struct clg_params *p) {
    const struct clg_tensor_way *way = way_of(problem);
    if (!facts->tensor_cores)
        return "the device has no tensor cores that the library uses";
    if (!way)
        return "the family does not support this type in this mode";
    const char *why = shape_unsupported_reason(p);
    if (!why && p->tile_k != clg_tensor_block_k(way))
        why = "the kernel does not support this TILE_K";
    if (why)
        return why;
    if (local_bytes(way, p) > LOCAL_BYTES)
        return "the ring does not fit local memory";
    const bool lies[] = {wide_of(p) == CLG_A, wide_of(p) == CLG_B};
    why = clg_tensor_size_unsupported_reason(&clg_family_skinny, way, problem, facts, p, lies, 0);
    if (why)
        return why;
    const struct clg_tensor_shares shares = clg_tensor_shares(way, problem, facts, p);
    return shares.tiles > INT32_MAX / shares.blocks
               ? "there are more than 2^31 blocks"
               : clg_group_unsupported_reason(facts, CLG_TENSOR_GROUP);
}

/* ---- The choice ---- */

static const int splits[] = {0, 2, 3, 4, 6, 8, 12, 16, 24, 32, 0};

/* The time, with the margin by which others may be faster. */
static double us_of(const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_costs *costs, const struct clg_params *p) {
    const bool accurate = problem->math == CLGEMM_MATH_ACCURATE;
    const double split_us =
        accurate ? costs->skinny_accurate_split_us : costs->skinny_normwise_split_us;
    const double row_us = accurate ? costs->skinny_accurate_row_us : costs->skinny_normwise_row_us;
    const struct clg_tensor_way *way = way_of(problem);
    const struct clg_tensor_shares shares = clg_tensor_shares(way, problem, facts, p);
    const bool lies[] = {wide_of(p) == CLG_A, wide_of(p) == CLG_B};
    const double packed = clg_tensor_pack_traffic(&clg_family_skinny, way, problem, p, lies);
    const double blocks = clg_tensor_most_blocks(&shares);
    const double sharing = shares.streamed ? ceil((double)shares.blocks / blocks) : 0;
    return (costs->skinny_fixed_us + packed / costs->tensor_pack_rate +
            blocks * (split_us + row_us * narrow_tile(p)) +
            sharing * costs->skinny_share_row_us * narrow_tile(p)) /
           costs->skinny_margin;
}

static void candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_costs *costs, struct clg_list *list) {
    if (facts->tensor_cores && way_of(problem) &&
        (problem->m <= MOST_NARROW || problem->n <= MOST_NARROW))
        clg_tensor_add_rows(&clg_family_skinny, problem, facts, costs, splits, clg_tensor_neither,
                            us_of, list);
}

/* ---- The plan ---- */

static void add_product(struct clg_plan *plan, const struct clg_tensor_way *way,
                        const struct clg_params *p, const struct clg_tensor_shares *shares,
                        const struct clg_tensor_packed *packed) {
    const struct clg_problem *problem = &plan->problem;
    const struct clg_matrix *c = &problem->matrix[CLG_C];
    const enum clg_matrix_index wide = wide_of(p), narrow = narrow_of(p);
    const struct clg_params program = {
        .tile_m = WIDE, .tile_n = narrow_tile(p), .stages = p->stages, .band_m = p->band_m};
    char options[CLG_MAX_OPTIONS];
    snprintf(options, sizeof options, "-DALONG_K=%d -DVEC=%d -DSTREAMED=%d %s",
             clg_is_along_k(problem, wide), (int)problem->matrix[wide].vector, shares->streamed,
             way->options);
    struct clg_step *step = clg_plan_step(plan, "tensor_skinny", &program, options);
    step->group_size = CLG_TENSOR_GROUP;
    step->groups = (uint64_t)shares->groups;
    step->batch = 1; /* groups loop over the products */
    clg_step_int(step, "rows", rows_of(problem, wide));
    clg_step_int(step, "columns", rows_of(problem, narrow));
    clg_step_int(step, "depth", problem->k);
    clg_step_scalars(step, true);
    clg_step_workspace(step, "packed", packed->workspace);
    clg_step_long(step, "packed_stride", packed->stride);
    clg_tensor_add_unpacked(step, problem, wide,
                            (const char *const[]){"wide", "wide_offset", "wide_along_rows",
                                                  "wide_along_k", "wide_stride"});
    clg_tensor_add_unpacked(step, problem, narrow,
                            (const char *const[]){"narrow", "narrow_offset", "narrow_along_columns",
                                                  "narrow_along_k", "narrow_stride"});
    clg_step_matrix(step, "c", CLG_C);
    clg_step_offset(step, "c_offset", CLG_C);
    clg_step_long(step, "c_along_rows", wide == CLG_A ? 1 : c->ld);
    clg_step_long(step, "c_along_columns", wide == CLG_A ? c->ld : 1);
    clg_step_long(step, "c_stride", c->stride);
    clg_step_int(step, "products", problem->batch);
    clg_tensor_share(plan, step, shares, p);
}

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *p) {
    const struct clg_tensor_way *way = way_of(problem);
    const struct clg_tensor_shares shares = clg_tensor_shares(way, problem, facts, p);
    struct clg_tensor_operand operands[] = {{.lies = wide_of(p) == CLG_A},
                                            {.lies = wide_of(p) == CLG_B}};
    clg_tensor_add_operands(plan, &clg_family_skinny, way, p, operands);
    add_product(plan, way, p, &shares, &operands[narrow_of(p)].packed);
}

/* ---- For the tuner ---- */

static const struct clg_axis axes_of[] = {
    CLG_AXIS(tile_m, PLAIN, 32, 64, 128),
    CLG_AXIS(tile_n, PLAIN, 32, 64, 128),
    CLG_AXIS(narrow_a, PLAIN, 0, 1),
    CLG_AXIS(tile_k, PLAIN, 64),
    CLG_AXIS(stages, PLAIN, 2, 3, 4, 5),
    CLG_AXIS(band_m, PLAIN, 1, 8),
    CLG_AXIS(sharers, PLAIN, 0, 2, 3, 4, 6, 8, 12, 16, 24, 32),
};

static const char *bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_params *p) {
    (void)facts;
    if (problem->m > MOST_NARROW && problem->n > MOST_NARROW)
        return "neither operand is narrow";
    if (clg_overhangs(problem->m, p->tile_m) || clg_overhangs(problem->n, p->tile_n))
        return "less than a quarter of a tile is used";
    return NULL;
}

static const struct clg_axes axes = {
    .axes = axes_of,
    .count = CLG_AXES_COUNT(axes_of),
    .shape_axes = 3,
    .core_axes = 5,
    .shape_unsupported_reason = bounds,
};

const struct clg_family clg_family_skinny = {
    .name = "skinny",
    .chosen_for = "tensor-cores",
    .types = 1U << CLGEMM_F32,
    .schemes = 1U << CLG_SCHEME_TENSOR,
    .premise = offsetof(struct clg_facts, tensor_cores),
    .unsupported_reason = unsupported_reason,
    .candidates = candidates,
    .plan = plan,
    .axes = &axes,
};
