/* SPDX-License-Identifier: Apache-2.0
 * The thin family: products of a large matrix and a few vectors on GPUs, at the speed of memory
 * (kernels/thin.cl). */
#include <stdio.h>

#include "base/checked.h"
#include "gemm/reduce.h"
#include "gemm/thin/thin.h"
#include "gemm/tiled/tiled.h"

enum { PAD = 4, MOST_SUMS = 128, MOST_ELEMENTS = 128 }; /* PAD as in the kernel; per work-item */

struct clg_thin_sides clg_thin_sides_of(const struct clg_problem *problem,
                                        const struct clg_params *p) {
    const struct clg_reading a = clg_tiled_read_a(problem, p), b = clg_tiled_read_b(problem, p);
    if (p->tile_m > p->tile_n)
        return (struct clg_thin_sides){CLG_A,      CLG_B,      a.along_k, b.along_k, a.vec,
                                       problem->m, problem->n, p->tile_m, p->tile_n, p->wg_m};
    return (struct clg_thin_sides){CLG_B,      CLG_A,      b.along_k, a.along_k, b.vec,
                                   problem->n, problem->m, p->tile_n, p->tile_m, p->wg_n};
}

static int64_t group_size(const struct clg_params *p) {
    return (int64_t)p->wg_m * p->wg_n * p->wg_k;
}

/* ---- The predicate ---- */

static const char *shape_unsupported_reason(const struct clg_thin_sides *sides,
                                            const struct clg_params *p) {
    if (p->tile_m <= 0 || p->tile_n <= 0 || p->tile_k <= 0 || p->wg_m <= 0 || p->wg_n <= 0 ||
        p->wg_k <= 0 || p->unroll_k <= 0)
        return "a size is missing";
    if (!clg_is_vector(p->vec_a) || !clg_is_vector(p->vec_b))
        return "the vector width is not supported";
    if (p->wg_m * p->wg_n != sides->items)
        return "several work-items lie along the short side of C";
    if (sides->outer_tile % sides->items)
        return "a tile of C does not divide evenly among the work-items";
    const int reg = sides->outer_tile / sides->items;
    if (p->unroll_k % CLG_WIDEST_VECTOR || (!sides->along_k && reg % sides->vec))
        return "a work-item does not read whole vectors";
    if (p->tile_k % clg_thin_steps(p))
        return "the steps of a group do not divide TILE_K";
    if ((int64_t)reg * sides->few_tile > MOST_SUMS || (int64_t)reg * p->unroll_k > MOST_ELEMENTS)
        return "a work-item has too many sums or elements";
    return NULL;
}

static uint64_t local_bytes(const struct clg_problem *problem, const struct clg_thin_sides *sides,
                            const struct clg_params *p) {
    const int few = sides->few_tile, widest = problem->type == CLGEMM_F64 ? 2 : 4;
    const int64_t together = few % 4 == 0 ? widest : few % 2 == 0 ? 2 : 1;
    const int64_t thin = few * ((int64_t)p->tile_k + PAD);
    const int64_t sums = together * sides->outer_tile * (p->wg_k + 1);
    return (uint64_t)(thin > sums ? thin : sums) * clg_type_real_size(problem->type);
}

/* How k is cut: slices of `depth` steps; the last one may have fewer. */
struct cut {
    int64_t tiles;
    int slices;
    int64_t depth;
};

static struct cut cut_of(const struct clg_problem *problem, const struct clg_thin_sides *sides,
                         const struct clg_params *p) {
    const int wanted = p->split_k > 1 ? p->split_k : 1;
    struct cut cut = {.tiles = clg_ceil_div(sides->outer, sides->outer_tile),
                      .depth = clg_round_up(clg_ceil_div(problem->k, wanted), clg_thin_steps(p))};
    cut.slices = (int)clg_ceil_div(problem->k, cut.depth);
    return cut;
}

/* Whether the device orders the writes and reads of different groups (PTX's memory model, from
 * compute capability 7.0 on), so that the kernel itself can add up slices. */
static bool orders(const struct clg_facts *facts) {
    enum { LEAST_CAPABILITY = 70 };
    return facts->capability >= LEAST_CAPABILITY;
}

/* Whether the last group of a tile to finish adds up the tile's slices. */
static bool joins(const struct clg_problem *problem, const struct clg_facts *facts,
                  const struct cut *cut) {
    return cut->slices > 1 && orders(facts) && cut->tiles <= CLG_COUNTERS / problem->batch;
}

static int64_t part_elements(const struct clg_problem *problem, const struct clg_facts *facts,
                             const struct clg_thin_sides *sides, const struct cut *cut) {
    return cut->slices * problem->batch *
           (joins(problem, facts, cut) ? cut->tiles * sides->outer_tile * sides->few_tile
                                       : clg_slice_stride(problem));
}

static const char *size_unsupported_reason(const struct clg_problem *problem,
                                           const struct clg_facts *facts,
                                           const struct clg_thin_sides *sides,
                                           const struct clg_params *p) {
    const int64_t most = INT32_MAX - 4096; /* indices past the last tile stay ints */
    if (problem->m > most || problem->n > most || problem->k > most)
        return "a dimension exceeds 2^31";
    if (sides->few > sides->few_tile)
        return "the short side of C is longer than a tile";
    const struct cut cut = cut_of(problem, sides, p);
    if (cut.tiles > most / cut.slices / problem->batch)
        return "there are more than 2^31 tiles";
    if (cut.slices == 1)
        return NULL;
    const double bytes = (double)part_elements(problem, facts, sides, &cut) *
                         (double)clg_type_real_size(problem->type);
    if (bytes > (double)facts->max_allocation || bytes > clg_workspace_room(problem, facts))
        return "the slices do not fit the device's memory";
    return joins(problem, facts, &cut) ? NULL : clg_reduce_unsupported_reason(facts);
}

const char *clg_thin_unsupported_reason(const struct clg_problem *problem,
                                        const struct clg_facts *facts, const struct clg_params *p) {
    const struct clg_thin_sides sides = clg_thin_sides_of(problem, p);
    const char *why = shape_unsupported_reason(&sides, p);
    if (!why)
        why = size_unsupported_reason(problem, facts, &sides, p);
    if (!why && local_bytes(problem, &sides, p) > facts->local_memory)
        why = "the thin operand's tile does not fit local memory";
    return why ? why : clg_group_unsupported_reason(facts, group_size(p));
}

/* ---- The plan ---- */

/* Where the slices are stored; .workspace < 0: there is one slice, stored in C. */
struct parts {
    int workspace, counters;
    int64_t ld, stride;
};

static struct parts plan_parts(struct clg_plan *plan, const struct clg_problem *problem,
                               const struct clg_facts *facts, const struct clg_thin_sides *sides,
                               const struct cut *cut) {
    struct parts parts = {.workspace = -1, .counters = -1};
    if (cut->slices == 1)
        return parts;
    parts.workspace = clg_plan_workspace(plan, part_elements(problem, facts, sides, cut));
    if (joins(problem, facts, cut)) {
        parts.counters = clg_plan_counters(plan);
    } else {
        parts.ld = clg_slice_ld(problem);
        parts.stride = clg_slice_stride(problem);
    }
    return parts;
}

/* A matrix of C's shape: the distance between elements along the outer side, and along the few. */
static void add_places(struct clg_step *step, const char *outer, const char *few,
                       const struct clg_thin_sides *sides, int64_t ld) {
    clg_step_long(step, outer, sides->wide == CLG_A ? 1 : ld);
    clg_step_long(step, few, sides->wide == CLG_A ? ld : 1);
}

static void add_operands(struct clg_step *step, const struct clg_problem *problem,
                         const struct clg_thin_sides *sides) {
    const struct clg_matrix *wide = &problem->matrix[sides->wide];
    const struct clg_matrix *thin = &problem->matrix[sides->thin];
    clg_step_matrix(step, "wide", sides->wide);
    clg_step_offset(step, "wide_offset", sides->wide);
    clg_step_long(step, "wide_ld", wide->ld);
    clg_step_stride(step, "wide_stride", problem, wide->stride);
    clg_step_matrix(step, "thin", sides->thin);
    clg_step_offset(step, "thin_offset", sides->thin);
    clg_step_long(step, "thin_k", sides->thin_along_k ? 1 : thin->ld);
    clg_step_long(step, "thin_few", sides->thin_along_k ? thin->ld : 1);
    clg_step_stride(step, "thin_stride", problem, thin->stride);
}

/* Whether the last slice may end within a work-item's steps; the others do not. */
static bool cuts_steps(const struct clg_problem *problem, const struct clg_thin_sides *sides,
                       const struct clg_params *p) {
    return problem->k % (sides->along_k ? clg_thin_steps(p) : p->unroll_k) != 0;
}

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *p) {
    const struct clg_thin_sides sides = clg_thin_sides_of(problem, p);
    const struct cut cut = cut_of(problem, &sides, p);
    const struct parts parts = plan_parts(plan, problem, facts, &sides, &cut);
    const bool left = parts.workspace >= 0 && parts.counters < 0; /* for the step `reduce` */
    const struct clg_matrix *c = &problem->matrix[CLG_C];
    struct clg_params read = *p;
    char extra[96];
    read.vec_a = sides.vec;
    read.vec_b = read.split_k = 0; /* the program does not depend on them */
    snprintf(extra, sizeof extra, "-DWIDE_ALONG_K=%d -DTHIN_ALONG_K=%d -DEDGE_K=%d%s",
             sides.along_k, sides.thin_along_k || sides.few_tile == 1,
             cuts_steps(problem, &sides, p),
             left            ? " -DPARTS=1"
             : orders(facts) ? " -DJOINS=1"
                             : "");
    struct clg_step *step = clg_plan_step(plan, "thin", &read, extra);
    step->group_size = (uint64_t)group_size(p);
    step->groups = (uint64_t)(cut.tiles * cut.slices);
    clg_step_int(step, "outer", sides.outer);
    clg_step_int(step, "few", sides.few);
    clg_step_int(step, "k", problem->k);
    clg_step_scalars(step, true);
    add_operands(step, problem, &sides);
    clg_step_memory(step, "c", CLG_C, left ? parts.workspace : -1);
    clg_step_memory_offset(step, "c_offset", CLG_C, left ? parts.workspace : -1);
    add_places(step, "c_outer", "c_few", &sides, c->ld);
    clg_step_stride(step, "c_stride", problem, c->stride);
    clg_step_int(step, "slices", cut.slices);
    clg_step_int(step, "k_slice", cut.depth);
    /* Without a workspace, unused here and below. */
    clg_step_memory(step, "parts", CLG_C, parts.workspace);
    add_places(step, "part_outer", "part_few", &sides, parts.ld);
    clg_step_long(step, "part_stride", parts.stride);
    clg_step_stride(step, "parts_stride", problem, parts.stride * cut.slices);
    if (!left && orders(facts))
        clg_step_memory(step, "counters", CLG_C, parts.counters);
    clg_step_groups(step, problem);
    if (left)
        clg_plan_reduce(plan, problem, facts, parts.workspace, cut.slices);
}

static struct clg_tile tile(const struct clg_params *p) {
    return (struct clg_tile){p->tile_m, p->tile_n, (int)clg_thin_steps(p)};
}

/* ---- For the tuner ---- */

static const struct clg_axis axes_of[] = {
    CLG_AXIS(tile_m, PLAIN, 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256),
    CLG_AXIS(tile_n, PLAIN, 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256),
    CLG_AXIS(wg_m, PLAIN, 1, 4, 8, 16, 32, 64),
    CLG_AXIS(wg_n, PLAIN, 1, 4, 8, 16, 32, 64),
    CLG_AXIS(wg_k, PLAIN, 4, 8, 16, 32, 64),
    CLG_AXIS(unroll_k, PLAIN, 4, 8, 16, 32),
    CLG_AXIS(tile_k, PLAIN, 256, 512, 1024, 2048),
    CLG_AXIS(vec_a, PLAIN, 4),
    CLG_AXIS(vec_b, PLAIN, 4),
    CLG_AXIS(split_k, PLAIN, 0, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256),
};

static const char *shape_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                const struct clg_params *p) {
    const struct clg_thin_sides sides = clg_thin_sides_of(problem, p);
    (void)facts;
    if (sides.few > sides.few_tile || 3 * sides.few <= 2 * (int64_t)(sides.few_tile - 1))
        return "the short side of C is longer, or much shorter, than a tile";
    if (clg_overhangs(sides.outer, sides.outer_tile))
        return "less than a quarter of a tile is used";
    if (p->wg_m * p->wg_n != sides.items || sides.outer_tile % sides.items)
        return "a tile of C does not divide evenly among the work-items";
    return NULL;
}

static const char *bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_params *p) {
    enum { LEAST_GROUP = 64, LARGEST_GROUP = 512 };
    const struct clg_thin_sides sides = clg_thin_sides_of(problem, p);
    (void)facts;
    if (group_size(p) < LEAST_GROUP || group_size(p) > LARGEST_GROUP)
        return "a group is too small or too large";
    if (p->split_k > 1 && cut_of(problem, &sides, p).slices != p->split_k)
        return "k does not divide into this number of slices";
    return NULL;
}

static const struct clg_axes axes = {
    .axes = axes_of,
    .count = CLG_AXES_COUNT(axes_of),
    .shape_axes = 4,
    .core_axes = 9,
    .shape_unsupported_reason = shape_bounds,
    .unsupported_reason = bounds,
};

const struct clg_family clg_family_thin = {
    .name = "thin",
    .chosen_for = "few",
    .types = 1U << CLGEMM_F32 | 1U << CLGEMM_F64 | 1U << CLGEMM_F16 | 1U << CLGEMM_BF16,
    .strict = true,
    .schemes = 1U << CLG_SCHEME_LOCAL_PRIVATE,
    .unsupported_reason = clg_thin_unsupported_reason,
    .candidates = clg_thin_candidates,
    .plan = plan,
    .tile = tile,
    .axes = &axes,
};
