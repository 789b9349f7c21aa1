/* SPDX-License-Identifier: Apache-2.0
 * The tensor family: floats are split into parts that Hopper's tensor cores multiply, and sums of
 * the products are added up in FP32 (kernels/tensor_pack.cl, kernels/tensor.cl). */
#include <math.h>
#include <stdio.h>

#include "base/checked.h"
#include "gemm/tensor/tensor.h"

enum {
    LOCAL_BYTES = 227 * 1024, /* local memory of a work-group on Hopper */
    SCALES_KEPT = 4,          /* as in tensor.cl */
    MAPS_BYTES = 3 * 128,     /* tensor maps of a group, as in tensor_map.h */
    BOX_ROWS = 64,            /* as in tensor.cl */
    BOXES_BYTES = 8 * 4096,   /* boxes of C, as in tensor_map.h */
    SHARED_TILE_M = 192,      /* for which costs have what sharing a tile takes */
    VECTOR = 2                /* elements of C */
};

/* ---- What lies where ---- */

/* Whether a tensor map (kernels/tensor_map.h) can describe the matrix, to read boxes of it. */
static bool is_mapped(const struct clg_problem *problem, const struct clg_facts *facts,
                      enum clg_matrix_index which) {
    const int64_t most = INT64_C(1) << 38; /* elements whose bytes a tensor map can express */
    const struct clg_matrix *matrix = &problem->matrix[which];
    return facts->tensor_maps && clg_type_is_narrow(problem->type) && matrix->bulk &&
           matrix->ld < most && matrix->stride < most;
}

/* Whether lines of an operand that can be read in place begin within 32 bytes. Copies of such boxes
 * take longer. */
static bool is_crooked(const struct clg_problem *problem, const struct clg_facts *facts,
                       enum clg_matrix_index which) {
    enum { SECTOR = 32 };
    return is_mapped(problem, facts, which) &&
           problem->matrix[which].ld % (SECTOR / (int)clg_type_size(problem->type)) != 0;
}

static bool packs(const struct clg_params *p, enum clg_matrix_index which) {
    return which == CLG_A ? p->pack_a : p->pack_b;
}

/* How the product would read an operand that is not packed; only tiles of 64 rows leave enough
 * registers to copy it singly. */
static enum clg_tensor_comes comes_in_place(const struct clg_problem *problem,
                                            const struct clg_facts *facts,
                                            const struct clg_params *p,
                                            enum clg_matrix_index which) {
    const bool along_k = clg_is_along_k(problem, which);
    if (is_mapped(problem, facts, which))
        return along_k ? CLG_TENSOR_ALONG_K : CLG_TENSOR_ACROSS_K;
    if (!clg_type_is_narrow(problem->type) || p->tile_m != BOX_ROWS)
        return CLG_TENSOR_PACKED;
    return along_k ? CLG_TENSOR_ALONG_K_SINGLY : CLG_TENSOR_ACROSS_K_SINGLY;
}

enum clg_tensor_comes clg_tensor_comes(const struct clg_problem *problem,
                                       const struct clg_facts *facts, const struct clg_params *p,
                                       enum clg_matrix_index which) {
    return packs(p, which) || clg_is_ahead(problem, &clg_family_tensor, which)
               ? CLG_TENSOR_PACKED
               : comes_in_place(problem, facts, p, which);
}

static bool comes_singly(const struct clg_problem *problem, const struct clg_facts *facts,
                         const struct clg_params *p, enum clg_matrix_index which) {
    return clg_tensor_comes(problem, facts, p, which) >= CLG_TENSOR_ALONG_K_SINGLY;
}

/* Whether the product reads the operand in place. */
static bool lies(const struct clg_problem *problem, const struct clg_facts *facts,
                 const struct clg_params *p, enum clg_matrix_index which) {
    return clg_tensor_comes(problem, facts, p, which) != CLG_TENSOR_PACKED;
}

/* Rows of a tile that are copied singly. */
static int copied_rows(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_params *p) {
    int rows = 0;
    for (enum clg_matrix_index i = CLG_A; i <= CLG_B; i++)
        rows += comes_singly(problem, facts, p, i) ? clg_tensor_tile(p, i) : 0;
    return rows;
}

/* Work-items: beside the teams that multiply, one for each box of such rows, or one in all. */
static int group_size(const struct clg_problem *problem, const struct clg_facts *facts,
                      const struct clg_params *p) {
    const int boxes = copied_rows(problem, facts, p) / BOX_ROWS;
    return CLG_TENSOR_GROUP + (boxes > 0 ? boxes - 1 : 0) * CLG_TENSOR_TEAM;
}

static int64_t local_bytes(const struct clg_tensor_way *way, const struct clg_params *p) {
    const int64_t stage =
        clg_tensor_stage_bytes(way, p->tile_m) + clg_tensor_stage_bytes(way, p->tile_n);
    const int64_t scales = way->promoted ? (int64_t)SCALES_KEPT * 4 * (p->tile_m + p->tile_n) : 0;
    return p->stages * (stage + 16) + scales + MAPS_BYTES;
}

/* Whether C is written by copies of whole boxes, which need local memory beside the ring. A copy
 * writes the whole of the 16 bytes in which a column of C ends. */
static bool has_boxes(const struct clg_problem *problem, const struct clg_facts *facts,
                      const struct clg_params *p) {
    return is_mapped(problem, facts, CLG_C) && p->tile_m % BOX_ROWS == 0 &&
           problem->m % clg_type_bulk(problem->type) == 0 &&
           local_bytes(clg_tensor_way(problem), p) + BOXES_BYTES <= LOCAL_BYTES;
}

/* Whether the product reads or writes a matrix in place by a tensor map. */
static bool has_maps(const struct clg_problem *problem, const struct clg_facts *facts,
                     const struct clg_params *p) {
    bool maps = has_boxes(problem, facts, p);
    for (enum clg_matrix_index i = CLG_A; i <= CLG_B; i++)
        maps |= lies(problem, facts, p, i) && !comes_singly(problem, facts, p, i);
    return maps;
}

/* A ring that cannot hold what its readers wait for hangs the device. */
static const char *ring_unsupported_reason(const struct clg_tensor_way *way,
                                           const struct clg_params *p) {
    if (p->stages < 2)
        return "a ring has at least two stages";
    if (way->promoted && p->stages < way->block)
        return "the ring does not hold a whole block";
    if (way->promoted && p->stages > 3 * way->block)
        return "the ring holds more blocks than it keeps scales for";
    return local_bytes(way, p) > LOCAL_BYTES ? "the ring does not fit local memory" : NULL;
}

static const char *unsupported_reason(const struct clg_problem *problem,
                                      const struct clg_facts *facts, const struct clg_params *p) {
    const struct clg_tensor_way *way = clg_tensor_way(problem);
    if (!facts->tensor_cores)
        return "the device has no tensor cores that the library uses";
    if (!way)
        return "the family does not support this type in this mode";
    if (p->tile_m != 64 && p->tile_m != 128 && p->tile_m != 160 && p->tile_m != 192 &&
        p->tile_m != 256)
        return "TILE_M is none of 64, 128, 160, 192 and 256";
    if (way->promoted && p->tile_m > 192)
        return "the sums and totals do not fit the registers";
    for (enum clg_matrix_index i = CLG_A; i <= CLG_B; i++)
        if (packs(p, i) && comes_in_place(problem, facts, p, i) == CLG_TENSOR_PACKED)
            return "an operand is packed anyway";
    if (p->tile_m % BOX_ROWS != 0 &&
        clg_tensor_comes(problem, facts, p, CLG_A) == CLG_TENSOR_ACROSS_K)
        return "TILE_M is not a multiple of a copy's 64 rows";
    if (p->tile_n != CLG_TENSOR_TILE_N || p->tile_k != clg_tensor_stage_k(way) || p->band_m <= 0)
        return "the kernel does not support this TILE_N, TILE_K or BAND_M";
    const char *why = ring_unsupported_reason(way, p);
    if (why)
        return why;
    const bool in_place[] = {lies(problem, facts, p, CLG_A), lies(problem, facts, p, CLG_B)};
    why = clg_tensor_size_unsupported_reason(&clg_family_tensor, way, problem, facts, p, in_place,
                                             MAPS_BYTES);
    return why ? why : clg_group_unsupported_reason(facts, group_size(problem, facts, p));
}

/* ---- The choice ---- */

/* A block of k for each row of a tile. */
static double row_us(const struct clg_problem *problem, const struct clg_costs *costs) {
    if (problem->type != CLGEMM_F32)
        return costs->tensor_half_us;
    return problem->math == CLGEMM_MATH_ACCURATE   ? costs->tensor_accurate_us
           : problem->math == CLGEMM_MATH_NORMWISE ? costs->tensor_normwise_us
           : problem->math == CLGEMM_MATH_TF32     ? costs->tensor_tf32_us
                                                   : costs->tensor_half_us;
}

/* Copies of a block of k to local memory. Costs from before there were these figures have 0: then
 * copies in bulk are free, and none are single. */
static double copying_us(const struct clg_problem *problem, const struct clg_facts *facts,
                         const struct clg_costs *costs, const struct clg_params *p) {
    enum { PIECE_BYTES = 256 };
    const struct clg_tensor_way *way = clg_tensor_way(problem);
    const double pieces = (double)(way->block * clg_tensor_stage_bytes(way, 1)) / PIECE_BYTES;
    double us = 0;
    for (enum clg_matrix_index i = CLG_A; i <= CLG_B; i++) {
        double each = costs->tensor_copy_row_us;
        if (comes_singly(problem, facts, p, i))
            each = costs->tensor_singly_row_us > 0 ? costs->tensor_singly_row_us : HUGE_VAL;
        else if (lies(problem, facts, p, i) && is_crooked(problem, facts, i))
            each = costs->tensor_crooked_row_us;
        us += pieces * each * clg_tensor_tile(p, i);
    }
    return us;
}

/* Blocks of k that the busiest group multiplies. Stages past the end of k are left out, but those
 * of promoted sums; a group that shares a tile may have none. */
static double blocks_of(const struct clg_problem *problem, const struct clg_tensor_way *way,
                        const struct clg_tensor_shares *shares) {
    const double stages = (double)clg_ceil_div(problem->k, clg_tensor_stage_k(way));
    const bool whole = way->promoted || (shares->streamed && shares->blocks > 1);
    return clg_tensor_most_blocks(shares) *
           (whole ? 1 : stages / (double)(shares->blocks * way->block));
}

static double us_of(const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_costs *costs, const struct clg_params *p) {
    const struct clg_tensor_way *way = clg_tensor_way(problem);
    const bool narrow = clg_type_is_narrow(problem->type);
    const struct clg_tensor_shares shares = clg_tensor_shares(way, problem, facts, p);
    const bool in_place[] = {lies(problem, facts, p, CLG_A), lies(problem, facts, p, CLG_B)};
    const double rounds = (double)clg_ceil_div(shares.tiles, shares.groups);
    const double packed = clg_tensor_pack_traffic(&clg_family_tensor, way, problem, p, in_place);
    const double block =
        fmax(p->tile_m * row_us(problem, costs), copying_us(problem, facts, costs, p));
    double us = blocks_of(problem, way, &shares) * block + packed / costs->tensor_pack_rate +
                clg_tensor_streaming_us(&shares, costs, (double)p->tile_m / SHARED_TILE_M);
    if (narrow && !has_boxes(problem, facts, p))
        us += rounds * p->tile_m * costs->tensor_write_row_us;
    if (!narrow) /* the figure was fitted to both launches */
        return us + costs->tensor_fixed_us;
    us += costs->tensor_fixed_us * (packed > 0 ? 2 : 1);
    return clg_enqueued_us(costs, packed > 0, us);
}

/* Whether the operand could be read in place, and yet better be packed. */
static bool may_pack(const struct clg_problem *problem, const struct clg_facts *facts,
                     enum clg_matrix_index which) {
    return is_crooked(problem, facts, which) ||
           (clg_type_is_narrow(problem->type) && !is_mapped(problem, facts, which));
}

static void candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_costs *costs, struct clg_list *list) {
    const bool may[] = {may_pack(problem, facts, CLG_A), may_pack(problem, facts, CLG_B)};
    if (facts->tensor_cores && clg_tensor_way(problem))
        clg_tensor_add_rows(&clg_family_tensor, problem, facts, costs, clg_tensor_splits, may,
                            us_of, list);
}

/* ---- The plan ---- */

static void add_product(struct clg_plan *plan, const struct clg_facts *facts,
                        const struct clg_tensor_way *way, const struct clg_params *p,
                        const struct clg_tensor_shares *shares,
                        const struct clg_tensor_operand operands[]) {
    const struct clg_problem *problem = &plan->problem;
    const struct clg_matrix *c = &problem->matrix[CLG_C];
    struct clg_params program = *p;
    char options[CLG_MAX_OPTIONS];
    program.sharers = program.tile_k = 0; /* the program does not depend on them */
    program.pack_a = program.pack_b = 0;  /* the options below say it */
    snprintf(options, sizeof options,
             "-DVEC_C=%d -DSTREAMED=%d -DA_COMES=%d -DB_COMES=%d -DC_BOXES=%d %s",
             c->vector >= VECTOR ? VECTOR : 1, shares->streamed,
             clg_tensor_comes(problem, facts, p, CLG_A), clg_tensor_comes(problem, facts, p, CLG_B),
             has_boxes(problem, facts, p), way->options);
    struct clg_step *step = clg_plan_step(plan, "tensor", &program, options);
    clg_tensor_add_arguments(plan, step, group_size(problem, facts, p), shares, p, operands);
    if (has_maps(problem, facts, p))
        clg_step_workspace(step, "maps",
                           clg_plan_elements(plan, shares->groups * MAPS_BYTES /
                                                       (int64_t)clg_type_size(problem->type)));
}

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *p) {
    const struct clg_tensor_way *way = clg_tensor_way(problem);
    const struct clg_tensor_shares shares = clg_tensor_shares(way, problem, facts, p);
    struct clg_tensor_operand operands[2];
    for (enum clg_matrix_index i = CLG_A; i <= CLG_B; i++)
        operands[i].lies = lies(problem, facts, p, i);
    clg_tensor_add_operands(plan, &clg_family_tensor, way, p, operands);
    add_product(plan, facts, way, p, &shares, operands);
}

/* ---- For the tuner ---- */

static const struct clg_axis axes_of[] = {
    CLG_AXIS(tile_m, PLAIN, 64, 128, 160, 192, 256),
    CLG_AXIS(tile_n, PLAIN, CLG_TENSOR_TILE_N),
    CLG_AXIS(tile_k, PLAIN, 32, 64),
    CLG_AXIS(stages, PLAIN, 2, 3, 4, 5, 6, 7),
    CLG_AXIS(band_m, PLAIN, 1, 2, 4, 8, 16, 32),
    CLG_AXIS(sharers, PLAIN, 0, 2, 3, 4, 6, 8, 16),
    CLG_AXIS(pack_a, PLAIN, 0, 1),
    CLG_AXIS(pack_b, PLAIN, 0, 1),
};

const char *clg_tensor_tile_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                   const struct clg_params *p) {
    (void)facts;
    if (clg_overhangs(problem->m, p->tile_m) || clg_overhangs(problem->n, p->tile_n))
        return "less than a quarter of a tile is used";
    return NULL;
}

static const struct clg_axes axes = {
    .axes = axes_of,
    .count = CLG_AXES_COUNT(axes_of),
    .shape_axes = 2,
    .core_axes = 4,
    .shape_unsupported_reason = clg_tensor_tile_bounds,
};

const struct clg_family clg_family_tensor = {
    .name = "tensor",
    .chosen_for = "tensor-cores",
    .types = 1U << CLGEMM_F32 | 1U << CLGEMM_F16 | 1U << CLGEMM_BF16,
    .schemes = 1U << CLG_SCHEME_TENSOR,
    .premise = offsetof(struct clg_facts, tensor_cores),
    .unsupported_reason = unsupported_reason,
    .candidates = candidates,
    .form = clg_tensor_form,
    .plan = plan,
    .axes = &axes,
};
