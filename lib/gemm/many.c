/* SPDX-License-Identifier: Apache-2.0
 * The many family: batches of small products on GPUs, several products for each work-group
 * (kernels/many.cl). */
#include <math.h>
#include <stdio.h>

#include "base/checked.h"
#include "gemm/family.h"
#include "gemm/tiled/tiled.h"

/* Elements of a local tile's vectors, as in the kernel; some of these vectors run along k. */
enum { VECTOR = CLG_WIDEST_VECTOR };

enum { LARGEST_TILE = 64, MOST_SHARE = 256, MOST_ACCUMULATORS = 256 };

static int64_t group_size(const struct clg_params *p) {
    return (int64_t)p->wg_m * p->wg_n * p->products;
}

/* Elements of a local tile. The predicate has bounded tiles before this is called. */
static int64_t part(bool along_k, int tile, const struct clg_params *p) {
    const int64_t rows = along_k ? tile : p->tile_k;
    return rows * (along_k ? p->tile_k + p->pad_local : tile) + 2 * (int64_t)p->pad_local;
}

static uint64_t local_bytes(const struct clg_problem *problem, const struct clg_params *p) {
    const int64_t elements = part(problem->matrix[CLG_A].transposed, p->tile_m, p) +
                             part(!problem->matrix[CLG_B].transposed, p->tile_n, p);
    return (uint64_t)(elements * p->products) * clg_type_real_size(problem->type);
}

/* Elements of a local tile that a work-item moves. */
static int share(int tile, const struct clg_params *p) {
    return (int)clg_ceil_div((int64_t)tile * p->tile_k, (int64_t)p->wg_m * p->wg_n);
}

static const char *shape_unsupported_reason(const struct clg_params *p) {
    if (p->tile_m <= 0 || p->tile_n <= 0 || p->tile_k <= 0 || p->wg_m <= 0 || p->wg_n <= 0 ||
        p->products <= 0)
        return "a size is missing";
    if (p->tile_m > LARGEST_TILE || p->tile_n > LARGEST_TILE || p->tile_k > LARGEST_TILE)
        return "a tile is larger than small products need";
    if (p->tile_m % p->wg_m || p->tile_n % p->wg_n)
        return "a tile of C does not divide evenly among the work-items";
    if (p->tile_m % VECTOR || p->tile_n % VECTOR || p->tile_k % VECTOR || p->pad_local % VECTOR)
        return "a local tile is not made of whole vectors";
    if (!clg_is_vector(p->vec_a) || !clg_is_vector(p->vec_b))
        return "the vector width is not supported";
    if (p->tile_m / p->wg_m * (p->tile_n / p->wg_n) > MOST_ACCUMULATORS)
        return "a work-item has too many accumulators";
    if (share(p->tile_m, p) > MOST_SHARE || share(p->tile_n, p) > MOST_SHARE)
        return "a work-item has too much to read";
    return NULL;
}

static const char *unsupported_reason(const struct clg_problem *problem,
                                      const struct clg_facts *facts,
                                      const struct clg_params *params) {
    const char *why = shape_unsupported_reason(params);
    if (why)
        return why;
    if (problem->batch < 2)
        return "there is only one product";
    if (problem->m > params->tile_m || problem->n > params->tile_n)
        return "a product is larger than a tile";
    if (problem->k > INT32_MAX - LARGEST_TILE)
        return "a dimension exceeds 2^31";
    if (local_bytes(problem, params) > facts->local_memory)
        return "the tiles do not fit local memory";
    return clg_group_unsupported_reason(facts, group_size(params));
}

/* ---- The choice ---- */

enum {
    SMALL_C = 4096,         /* a product is small up to this many bytes of a tile of C */
    SMALL_WORK = 144 << 10, /* or up to this product of bytes and k */
    DEEPEST = 128,          /* and only up to this k */
    FEW_DEEP = 64,          /* up to this k a partial last tile along k matters */
    LEAST_TILE_K = 8,
    LEAST_GROUP = 32, /* work-items: a SIMD group */
    GROUPS = 4        /* on a compute unit, so that some read while others compute */
};

/* Tiles that divide k are read without a check of each element and waste no work: 24 cubed takes
 * three tiles of 8 rather than two of 16. */
static int tile_k_for(int64_t k, int most) {
    int tile_k = most;
    while (tile_k > LEAST_TILE_K && k % tile_k && (k <= FEW_DEEP || tile_k > 2 * LEAST_TILE_K))
        tile_k /= 2;
    while (tile_k > VECTOR && tile_k / 2 >= k)
        tile_k /= 2;
    return tile_k;
}

static bool is_small(const struct clg_problem *problem, const struct clg_params *p) {
    const int64_t bytes =
        (int64_t)p->tile_m * p->tile_n * (int64_t)clg_type_real_size(problem->type);
    return problem->k <= DEEPEST && (bytes <= SMALL_C || bytes * problem->k <= SMALL_WORK);
}

/* The row adapted to this problem: few enough products in a group that each unit gets several
 * groups, as long as groups are whole SIMD groups. */
static bool fit(const struct clg_problem *problem, const struct clg_facts *facts,
                const struct clg_params *row, struct clg_params *out) {
    const int64_t wanted = problem->batch / (GROUPS * clg_tiled_units(facts));
    *out = *row;
    out->tile_k = tile_k_for(problem->k, row->tile_k);
    while (out->products > 1 && group_size(out) > LEAST_GROUP &&
           (out->products > wanted || local_bytes(problem, out) > facts->local_memory ||
            clg_group_unsupported_reason(facts, group_size(out))))
        out->products /= 2;
    return is_small(problem, out) && problem->batch / out->products >= clg_tiled_units(facts) &&
           !unsupported_reason(problem, facts, out);
}

/* A GPU's memory is busy only if many reads are in flight. A work-group with one product of 16
 * cubed requests 2 KiB, waits, computes briefly and ends; in this family a unit has tens of
 * products in flight. The family is not for large products, nor for a long k, where other families
 * prefetch, nor for too few products to give each unit a group. A CPU's panels need no such
 * groups. */
static double us_of(const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_costs *costs, const struct clg_params *p, const char **limit) {
    const double units = (double)clg_tiled_units(facts), products = (double)problem->batch;
    const double m = (double)problem->m, n = (double)problem->n, k = (double)problem->k;
    const double bytes = (m * k + k * n + m * n) * (double)clg_type_size(problem->type);
    const double depth = (double)clg_round_up(problem->k, p->tile_k);
    const double memory = products * bytes / (costs->many_rate * units);
    const double fmas = products * p->tile_m * p->tile_n * depth / (costs->many_fmas * units);
    *limit = memory > fmas ? "memory" : "multiply-adds";
    return costs->many_fixed_us + fmax(memory, fmas);
}

static void candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_costs *costs, struct clg_list *list) {
    const struct clg_cost_rows all = clg_costs_of(costs, &clg_family_many);
    const char *limit;
    struct clg_params own;
    /* The smallest tile is first, because the part of a tile past the end of C is wasted. */
    for (size_t i = 0; i < all.count; i++)
        if (problem->m <= all.rows[i].params.tile_m && problem->n <= all.rows[i].params.tile_n &&
            clg_cost_row_is_for(&all.rows[i], problem)) {
            if (fit(problem, facts, &all.rows[i].params, &own)) {
                const double us = us_of(problem, facts, costs, &own, &limit);
                clg_list_add(list, &clg_family_many, &own, us, limit);
            }
            return;
        }
}

/* ---- The plan ---- */

/* Whether offsets from a group's first product overflow an int. */
static bool is_far(const struct clg_reading *x, int tile, const struct clg_params *p) {
    return (double)x->stride * p->products + (double)x->ld * (x->along_k ? tile : p->tile_k) +
               LARGEST_TILE >
           INT32_MAX;
}

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *params) {
    const struct clg_reading a = clg_tiled_read_a(problem, params);
    const struct clg_reading b = clg_tiled_read_b(problem, params);
    struct clg_params read = *params;
    char extra[128];
    (void)facts;
    read.vec_a = a.vec;
    read.vec_b = b.vec;
    snprintf(
        extra, sizeof extra, "-DA_ALONG_K=%d -DB_ALONG_K=%d -DEDGE_C=%d -DEDGE_K=%d -DVEC_C=%d%s",
        a.along_k, b.along_k, problem->m != params->tile_m || problem->n != params->tile_n,
        problem->k % params->tile_k != 0, clg_tiled_vec_c(problem),
        is_far(&a, params->tile_m, params) || is_far(&b, params->tile_n, params) ? " -DLONG_INDEX"
                                                                                 : "");
    struct clg_step *step = clg_plan_step(plan, "many", &read, extra);
    step->group_size = (uint64_t)group_size(params);
    step->groups = (uint64_t)clg_ceil_div(problem->batch, params->products);
    step->batch = 1; /* the groups cover all products */
    clg_step_sizes(step, problem);
    clg_step_long(step, "products", problem->batch);
    clg_step_scalars(step, true);
    for (enum clg_matrix_index i = CLG_A; i <= CLG_C; i++)
        clg_step_columns(step, problem, i, i);
}

/* ---- For the tuner ---- */

enum { TUNED_ACCUMULATORS = 32, TUNED_SHARE = 64, LARGEST_GROUP = 256 };

static const struct clg_axis axes_of[] = {
    CLG_AXIS(tile_m, PLAIN, 4, 8, 12, 16, 24, 32),
    CLG_AXIS(tile_n, PLAIN, 4, 8, 12, 16, 24, 32),
    CLG_AXIS(wg_m, PLAIN, 1, 2, 3, 4, 6, 8),
    CLG_AXIS(wg_n, PLAIN, 1, 2, 3, 4, 6, 8),
    CLG_AXIS(tile_k, PLAIN, 4, 8, 16, 32),
    CLG_AXIS(products, PLAIN, 1, 2, 4, 8, 16, 32, 64),
    CLG_AXIS(vec_a, PLAIN, 1, 2, 4),
    CLG_AXIS(vec_b, PLAIN, 1, 2, 4),
    CLG_AXIS(pad_local, PLAIN, 0, 4),
};

static const char *shape_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                const struct clg_params *p) {
    (void)facts;
    if (p->tile_m % p->wg_m || p->tile_n % p->wg_n)
        return "a tile of C does not divide evenly among the work-items";
    if (p->tile_m / p->wg_m * (p->tile_n / p->wg_n) > TUNED_ACCUMULATORS)
        return "a work-item has more than 32 accumulators";
    if (problem->m > p->tile_m || problem->n > p->tile_n)
        return "a product is larger than a tile";
    if ((p->tile_m > VECTOR && 2 * problem->m <= p->tile_m) ||
        (p->tile_n > VECTOR && 2 * problem->n <= p->tile_n))
        return "half of a tile would be unused";
    return NULL;
}

static const char *bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_params *p) {
    (void)facts;
    if (clg_tiled_read_a(problem, p).vec != p->vec_a ||
        clg_tiled_read_b(problem, p).vec != p->vec_b)
        return "an operand cannot be read in vectors of this width";
    if (group_size(p) < LEAST_GROUP || group_size(p) > LARGEST_GROUP)
        return "a group is too small or too large";
    if (share(p->tile_m, p) > TUNED_SHARE || share(p->tile_n, p) > TUNED_SHARE)
        return "a work-item has too much to read";
    if (p->tile_k > VECTOR && p->tile_k / 2 >= problem->k)
        return "half of a tile is past k";
    return NULL;
}

static const struct clg_axes axes = {
    .axes = axes_of,
    .count = CLG_AXES_COUNT(axes_of),
    .shape_axes = 4,
    .core_axes = 8,
    .shape_unsupported_reason = shape_bounds,
    .unsupported_reason = bounds,
};

const struct clg_family clg_family_many = {
    .name = "many",
    .chosen_for = "batch",
    .types = 1U << CLGEMM_F32 | 1U << CLGEMM_F64 | 1U << CLGEMM_F16 | 1U << CLGEMM_BF16,
    .strict = true,
    .schemes = 1U << CLG_SCHEME_BOTH,
    .unsupported_reason = unsupported_reason,
    .candidates = candidates,
    .plan = plan,
    .axes = &axes,
};
