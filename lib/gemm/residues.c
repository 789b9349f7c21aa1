/* SPDX-License-Identifier: Apache-2.0
 * The residues family: doubles become integers, whose product Hopper's INT8 tensor cores compute
 * modulo fourteen small numbers (kernels/residues.h). Tiles with an infinity or a NaN in their rows
 * of A or columns of B are left to the kernel of multistage. */
#include <stdio.h>

#include "base/checked.h"
#include "gemm/tiled/tiled.h"

/* As in the kernels. */
enum {
    MODULI = 14,
    GROUP = 384,
    PACK_GROUP = 256,
    CRT_GROUP = 128,
    NORMS_ROWS = 8,
    UNIT = 16,
    PADDING = 768,
    ROW_BYTES = 128,
    CRT_EACH = 8
};
enum { LONG_K = 1 << 17, SHORT_K = 32, MOST = 1 << 30 };

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

/* ---- Sizes ---- */

static int64_t stages_of(const struct clg_problem *problem) {
    return clg_ceil_div(problem->k, ROW_BYTES);
}

static int64_t tiles_of(const struct clg_problem *problem, const struct clg_params *p) {
    return clg_ceil_div(problem->m, p->tile_m) * clg_ceil_div(problem->n, p->tile_n);
}

/* ACCURATE: a product of magnitudes certifies the error. */
static bool is_certified(const struct clg_problem *problem) {
    return problem->math == CLGEMM_MATH_ACCURATE;
}

static int64_t packed_bytes(const struct clg_problem *problem, int64_t rows, int tile) {
    return (MODULI + is_certified(problem)) * clg_round_up(rows, tile) * stages_of(problem) *
           ROW_BYTES;
}

static int64_t residues_bytes(const struct clg_problem *problem, const struct clg_params *p) {
    return MODULI * tiles_of(problem, p) * p->tile_m * p->tile_n;
}

/* Exponents, a byte for each unit, and two words; then peaks and bounds. */
static int64_t scales_bytes(const struct clg_problem *problem) {
    const int64_t rows = clg_round_up(problem->m, PADDING) + clg_round_up(problem->n, PADDING);
    return rows * 4 + rows / UNIT + 8 + (is_certified(problem) ? rows * 12 : 0);
}

static const char *memory_unsupported_reason(const struct clg_problem *problem,
                                             const struct clg_facts *facts,
                                             const struct clg_params *p) {
    const int64_t parts[] = {packed_bytes(problem, problem->m, p->tile_m),
                             packed_bytes(problem, problem->n, p->tile_n),
                             residues_bytes(problem, p), scales_bytes(problem)};
    double all = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if ((uint64_t)parts[i] > facts->max_allocation)
            return "the residues of a matrix are larger than the largest buffer";
        all += (double)parts[i];
    }
    return all > clg_workspace_room(problem, facts) ? "the residues do not fit the device's memory"
                                                    : NULL;
}

static const char *unsupported_reason(const struct clg_problem *problem,
                                      const struct clg_facts *facts, const struct clg_params *p) {
    if (!facts->tensor_cores)
        return "the device has no tensor cores that the library uses";
    if (problem->math != CLGEMM_MATH_NORMWISE && problem->math != CLGEMM_MATH_ACCURATE)
        return "the mode is neither normwise nor accurate";
    if (is_certified(problem) && (problem->k >= LONG_K || problem->k < SHORT_K))
        return "k is too long for sums of magnitudes, or too short for their bound";
    if (problem->batch > 1)
        return "the family computes single products";
    if (!((p->tile_m == 192 && p->tile_n == 256) || (p->tile_m == 256 && p->tile_n == 128)))
        return "the tile is neither 192 x 256 nor 256 x 128";
    if (p->tile_k != ROW_BYTES || p->band_m <= 0 || p->stages < 2 ||
        (long)p->stages * ((p->tile_m + p->tile_n) * ROW_BYTES + 16) > clg_local_bytes(facts))
        return "the kernel does not support this TILE_K, BAND_M or STAGES";
    if (problem->m > MOST || problem->n > MOST || problem->k > MOST ||
        tiles_of(problem, p) > MOST / MODULI ||
        (clg_round_up(problem->m, p->tile_m) + clg_round_up(problem->n, p->tile_n)) / UNIT >
            MOST / stages_of(problem))
        return "a dimension is too large";
    const char *why = memory_unsupported_reason(problem, facts, p);
    if (!why)
        why = clg_family_multistage.unsupported_reason(problem, facts, &strict);
    return why ? why : clg_group_unsupported_reason(facts, GROUP);
}

/* ---- The plan ---- */

#define CERTIFIED " -DCERTIFIED=1" /* scales and packed operands have what a certificate needs */

struct workspaces {
    int scales, a_packed, b_packed, residues;
};

/* Elements of the vectors in which the kernels read and write a matrix. */
static int vector_of(const struct clg_problem *problem, enum clg_matrix_index which) {
    return problem->matrix[which].vector >= 2 ? 2 : 1;
}

static void add_operands(struct clg_step *step, const struct clg_problem *problem,
                         int64_t groups_a) {
    clg_step_int(step, "m", problem->m);
    clg_step_int(step, "n", problem->n);
    clg_step_int(step, "k", problem->k);
    clg_step_int(step, "groups_a", groups_a);
    clg_step_columns(step, problem, CLG_A, CLG_A);
    clg_step_columns(step, problem, CLG_B, CLG_B);
}

static void add_norms(struct clg_plan *plan, const struct workspaces *at) {
    const struct clg_problem *problem = &plan->problem;
    const int64_t groups_a = clg_ceil_div(problem->m, NORMS_ROWS);
    char options[64];
    snprintf(options, sizeof options, "-DA_ALONG_K=%d -DB_ALONG_K=%d%s",
             clg_is_along_k(problem, CLG_A), clg_is_along_k(problem, CLG_B),
             is_certified(problem) ? CERTIFIED : "");
    struct clg_step *step = clg_plan_step(plan, "residues_norms", NULL, options);
    step->group_size = PACK_GROUP;
    step->groups = (uint64_t)(groups_a + clg_ceil_div(problem->n, NORMS_ROWS));
    add_operands(step, problem, groups_a);
    clg_step_workspace(step, "scales", at->scales);
}

static void add_pack(struct clg_plan *plan, const struct clg_params *p,
                     const struct workspaces *at) {
    const struct clg_problem *problem = &plan->problem;
    const int64_t stages = stages_of(problem);
    const int64_t groups_a = clg_round_up(problem->m, p->tile_m) / UNIT * stages;
    char options[128];
    snprintf(options, sizeof options,
             "-DTILE_M=%d -DTILE_N=%d -DA_ALONG_K=%d -DB_ALONG_K=%d -DA_VECTOR=%d -DB_VECTOR=%d%s",
             p->tile_m, p->tile_n, clg_is_along_k(problem, CLG_A), clg_is_along_k(problem, CLG_B),
             vector_of(problem, CLG_A), vector_of(problem, CLG_B),
             is_certified(problem) ? CERTIFIED : "");
    struct clg_step *step = clg_plan_step(plan, "residues_pack", NULL, options);
    step->group_size = PACK_GROUP;
    step->groups = (uint64_t)(groups_a + clg_round_up(problem->n, p->tile_n) / UNIT * stages);
    add_operands(step, problem, groups_a);
    clg_step_workspace(step, "scales", at->scales);
    clg_step_workspace(step, "a_packed", at->a_packed);
    clg_step_workspace(step, "b_packed", at->b_packed);
}

/* The product of each modulus; or that of magnitudes. */
static void add_product(struct clg_plan *plan, const struct clg_facts *facts,
                        const struct clg_params *p, const struct workspaces *at, int planes,
                        const char *option) {
    const struct clg_problem *problem = &plan->problem;
    const int64_t tiles = planes * tiles_of(problem, p), units = clg_tiled_units(facts);
    struct clg_params program = *p;
    program.tile_k = 0; /* the program does not depend on it */
    struct clg_step *step = clg_plan_step(plan, "residues", &program, option);
    step->group_size = GROUP;
    step->groups = (uint64_t)(tiles < units ? tiles : units);
    clg_step_int(step, "m", problem->m);
    clg_step_int(step, "n", problem->n);
    clg_step_int(step, "k", problem->k);
    clg_step_workspace(step, "a_packed", at->a_packed);
    clg_step_workspace(step, "b_packed", at->b_packed);
    clg_step_workspace(step, "scales", at->scales);
    clg_step_workspace(step, "residues", at->residues);
}

static void add_crt(struct clg_plan *plan, const struct clg_params *p,
                    const struct workspaces *at) {
    const struct clg_problem *problem = &plan->problem;
    const struct clg_reading a = clg_multistage_read(problem, CLG_A, &strict);
    const struct clg_reading b = clg_multistage_read(problem, CLG_B, &strict);
    char options[160];
    snprintf(options, sizeof options,
             "-DTILE_M=%d -DTILE_N=%d -DBAND_M=%d -DVEC_C=%d -DSTRICT_M=%d -DSTRICT_N=%d "
             "-DGRAIN_M=%d -DGRAIN_N=%d",
             p->tile_m, p->tile_n, p->band_m, vector_of(problem, CLG_C), strict.tile_m,
             strict.tile_n, clg_multistage_grain(&a), clg_multistage_grain(&b));
    struct clg_step *step = clg_plan_step(plan, "residues_crt", NULL, options);
    step->group_size = CRT_GROUP;
    step->groups =
        (uint64_t)(tiles_of(problem, p) * (p->tile_m * p->tile_n / (CRT_EACH * CRT_GROUP)));
    clg_step_int(step, "m", problem->m);
    clg_step_int(step, "n", problem->n);
    clg_step_scalars(step, true);
    clg_step_workspace(step, "residues", at->residues);
    clg_step_workspace(step, "scales", at->scales);
    clg_step_columns(step, problem, CLG_C, CLG_C);
}

/* The tiles that are left out. */
static void add_rest(struct clg_plan *plan, const struct clg_facts *facts,
                     const struct workspaces *at) {
    clg_family_multistage.plan(plan, &plan->problem, facts, &strict);
    struct clg_step *step = &plan->steps[plan->num_steps - 1];
    clg_step_option(step, "-DONLY_LEFT_OUT");
    clg_step_workspace(step, "scales", at->scales);
}

static int add_bytes(struct clg_plan *plan, int64_t bytes) {
    return clg_plan_elements(plan, clg_ceil_div(bytes, (int64_t)sizeof(double)));
}

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *p) {
    const struct workspaces at = {
        .scales = add_bytes(plan, scales_bytes(problem)),
        .a_packed = add_bytes(plan, packed_bytes(problem, problem->m, p->tile_m)),
        .b_packed = add_bytes(plan, packed_bytes(problem, problem->n, p->tile_n)),
        .residues = add_bytes(plan, residues_bytes(problem, p)),
    };
    add_norms(plan, &at);
    add_pack(plan, p, &at);
    if (is_certified(problem))
        add_product(plan, facts, p, &at, 1, "-DCERTIFICATE=1");
    add_product(plan, facts, p, &at, MODULI, problem->k >= LONG_K ? "-DLONG_K=1" : "");
    add_crt(plan, p, &at);
    add_rest(plan, facts, &at);
}

/* multistage's program depends on remainders by its own tile. */
static struct clg_tile tile(const struct clg_params *p) {
    return (struct clg_tile){p->tile_m % strict.tile_m ? 2 * p->tile_m : p->tile_m, p->tile_n,
                             p->tile_k};
}

/* ---- Candidates ---- */

/* What the steps beside the product read and write: doubles, and a byte for each modulus. */
static double traffic(const struct clg_problem *problem) {
    const double real = (double)clg_type_size(problem->type);
    const double operands =
        (double)problem->k * ((double)problem->m + (double)problem->n) * (2 * real + MODULI);
    return operands + (double)problem->m * (double)problem->n * (real + 2 * MODULI);
}

/* A group computes tiles of its columns, `row_us` for a row's stage of 128 columns. */
static double us_of(const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_costs *costs, const struct clg_params *p) {
    const int64_t tiles = tiles_of(problem, p), units = clg_tiled_units(facts);
    const double rounds = (double)(clg_ceil_div(MODULI * tiles, units) +
                                   (is_certified(problem) ? clg_ceil_div(tiles, units) : 0));
    const double rows = (double)p->tile_m * p->tile_n / 128;
    const double certificate = is_certified(problem) ? costs->residues_certificate_us : 0;
    return costs->residues_fixed_us + certificate + traffic(problem) / costs->residues_rate +
           rounds * rows *
               ((double)stages_of(problem) * costs->residues_row_us + costs->residues_reduce_us);
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
    CLG_AXIS(TILE_M, tile_m, PLAIN, 192, 256),        CLG_AXIS(TILE_N, tile_n, PLAIN, 128, 256),
    CLG_AXIS(TILE_K, tile_k, PLAIN, ROW_BYTES),       CLG_AXIS(STAGES, stages, PLAIN, 2, 3, 4),
    CLG_AXIS(BAND_M, band_m, PLAIN, 1, 4, 8, 16, 32),
};

static const struct clg_axes axes = {
    .axes = axes_of, .count = CLG_AXES_COUNT(axes_of), .shape_axes = 2, .core_axes = 4};

static void describe(char text[CLG_DESCRIPTION], const struct clg_params *p) {
    clg_describe(text, "%dx%d, %d moduli, %d stages, bands of %d", p->tile_m, p->tile_n, MODULI,
                 p->stages, p->band_m);
}

const struct clg_family clg_family_residues = {
    .name = "residues",
    .chosen_for = "int8-tensor-cores",
    .types = 1U << CLGEMM_F64,
    .schemes = 1U << CLG_SCHEME_TENSOR,
    .premise = offsetof(struct clg_facts, tensor_cores),
    .unsupported_reason = unsupported_reason,
    .candidates = candidates,
    .plan = plan,
    .tile = tile,
    .axes = &axes,
    .describe = describe,
};
