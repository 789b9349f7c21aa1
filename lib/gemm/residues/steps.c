/* SPDX-License-Identifier: Apache-2.0
 * The steps of a product of doubles by residues (kernels/residues.h). */
#include <stdio.h>

#include "base/checked.h"
#include "gemm/residues/residues.h"
#include "gemm/tiled/tiled.h"

/* As in the kernels. */
enum {
    PACK_GROUP = 256,
    CRT_GROUP = 128,
    NORMS_ROWS = 8,
    UNIT = 16,
    PADDING = 768,
    ROW_BYTES = CLG_RESIDUES_ROW_BYTES
};
enum { LONG_K = 1 << 17, SHORT_K = 32, MOST = 1 << 30 };

/* As in tests/kernels/residues_table.py: from that k on, fewer moduli keep normwise's bound, and
 * those of Gaussian integers do. */
enum { MODULI = 14, FEWER = 13, FEWER_FROM = 90, GAUSSIAN_FROM = 14 };

/* Slabs begin at multiples of the largest TILE_N of a family that computes what is left out, so
 * that each of its tiles belongs to one. Commands of all portions wait for the first one that
 * writes C (run/exec), and no runtime has been seen with more than a few thousand. */
enum { SLAB_BEGINS = 128, LEAST_SLAB = 512, MOST_PORTIONS = 256 };
_Static_assert(SLAB_BEGINS % (4 * UNIT) == 0, "kernels read units by fours");

/* ---- Sizes ---- */

int64_t clg_residues_stages(const struct clg_problem *problem) {
    return clg_ceil_div(problem->k, ROW_BYTES);
}

/* Whether rows are pairs, parts of complex numbers (kernels/residues.h, GAUSSIAN). */
static bool has_pairs(const struct clg_problem *problem) {
    return problem->form == CLG_FORM_PARTS && problem->math == CLGEMM_MATH_NORMWISE;
}

static int parts(const struct clg_problem *problem) {
    return has_pairs(problem) ? 2 : 1;
}

int64_t clg_residues_tiles(const struct clg_problem *problem, const struct clg_params *p,
                           int64_t columns) {
    return clg_ceil_div(problem->m / parts(problem), p->tile_m) *
           clg_ceil_div(columns / parts(problem), p->tile_n);
}

bool clg_residues_is_certified(const struct clg_problem *problem) {
    return problem->math == CLGEMM_MATH_ACCURATE;
}

static int moduli(const struct clg_problem *problem) {
    return clg_residues_is_certified(problem) || has_pairs(problem) || problem->k < FEWER_FROM
               ? MODULI
               : FEWER;
}

/* Products of residues for each tile of C. */
static int products(const struct clg_problem *problem) {
    return moduli(problem) * parts(problem);
}

int clg_residues_planes(const struct clg_problem *problem) {
    return products(problem) + clg_residues_is_certified(problem);
}

/* Rows as the kernels pack them. */
static int64_t packed_rows(const struct clg_problem *problem, int64_t rows, int tile) {
    return clg_round_up(rows / parts(problem), tile);
}

static int64_t packed_bytes(const struct clg_problem *problem, int64_t rows, int tile) {
    return clg_residues_planes(problem) * packed_rows(problem, rows, tile) *
           clg_residues_stages(problem) * ROW_BYTES;
}

static int64_t residues_bytes(const struct clg_problem *problem, const struct clg_params *p,
                              int64_t columns) {
    return products(problem) * clg_residues_tiles(problem, p, columns) * p->tile_m * p->tile_n;
}

static int64_t padded(int64_t rows) {
    return (rows / PADDING + 2) * PADDING;
}

/* Exponents, a byte for each unit, and two words; then peaks and bounds. */
static int64_t scales_bytes(const struct clg_problem *problem) {
    const int64_t rows = padded(problem->m) + padded(problem->n);
    return rows * 4 + rows / UNIT + 8 + (clg_residues_is_certified(problem) ? rows * 12 : 0);
}

/* Whether a slab of so many columns fits the device's memory. */
static bool fits(const struct clg_problem *problem, const struct clg_facts *facts,
                 const struct clg_params *p, int64_t columns) {
    const int64_t parts[] = {packed_bytes(problem, problem->m, p->tile_m),
                             packed_bytes(problem, columns, p->tile_n),
                             residues_bytes(problem, p, columns), scales_bytes(problem)};
    double all = 0;
    bool each = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        each = each && (uint64_t)parts[i] <= facts->max_allocation;
        all += (double)parts[i];
    }
    return each && all <= clg_workspace_room(problem, facts);
}

static int64_t apart(const struct clg_problem *problem, int64_t slab) {
    return slab - problem->n % SLAB_BEGINS;
}

/* The largest of n, n / 2 ... that fits. A real product that stands for a complex one is a slab
 * already. */
int64_t clg_residues_slab(const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_params *p) {
    int64_t slab = problem->n;
    while (!fits(problem, facts, p, slab)) {
        if (apart(problem, slab) <= LEAST_SLAB || problem->form)
            return 0;
        slab = problem->n % SLAB_BEGINS + clg_round_up(apart(problem, slab) / 2, SLAB_BEGINS);
    }
    return slab;
}

const char *clg_residues_unsupported_reason(const struct clg_residues *how,
                                            const struct clg_problem *problem,
                                            const struct clg_facts *facts,
                                            const struct clg_params *p) {
    if (problem->math != CLGEMM_MATH_NORMWISE && problem->math != CLGEMM_MATH_ACCURATE)
        return "the mode is neither normwise nor accurate";
    if (clg_residues_is_certified(problem) && (problem->k >= LONG_K || problem->k < SHORT_K))
        return "k is too long for sums of magnitudes, or too short for their bound";
    if (has_pairs(problem) && problem->k < GAUSSIAN_FROM)
        return "k is too short for the moduli of complex numbers";
    if (problem->batch > 1 && problem->form)
        return "the family computes no batches of parts of complex numbers";
    if (problem->m > MOST || problem->n > MOST || problem->k > MOST ||
        clg_residues_tiles(problem, p, problem->n) > MOST / clg_residues_planes(problem) ||
        (clg_round_up(problem->m, p->tile_m) + clg_round_up(problem->n, p->tile_n)) / UNIT >
            MOST / clg_residues_stages(problem))
        return "a dimension is too large";
    const int64_t slab = clg_residues_slab(problem, facts, p);
    if (!slab)
        return "the residues do not fit the device's memory";
    if (problem->batch > MOST_PORTIONS / clg_slabs(problem->n, slab, apart(problem, slab)))
        return "there are too many products or slabs";
    const char *why = how->rest->unsupported_reason(problem, facts, how->rest_params);
    if (!why)
        why = clg_group_unsupported_reason(facts, PACK_GROUP);
    return why;
}

/* ---- The steps ---- */

/* For all kernels: the moduli, and whether scales and packed operands have what a certificate
 * needs. */
static const char *numbers(const struct clg_problem *problem) {
    return has_pairs(problem)                   ? "-DGAUSSIAN=1"
           : clg_residues_is_certified(problem) ? "-DCERTIFIED=1"
           : moduli(problem) == FEWER           ? "-DMODULI=13"
                                                : "-DMODULI=14";
}

struct workspaces {
    int scales, a_packed, b_packed, residues;
};

/* `first` and `columns` of a slab. */
static void add_slab(struct clg_step *step, const struct clg_plan *plan) {
    clg_step_slab(step, "first", CLG_ARG_FIRST);
    clg_step_int(step, "columns", plan->slab);
}

/* Elements of the vectors in which the kernels read and write a matrix. */
static int vector_of(const struct clg_problem *problem, enum clg_matrix_index which) {
    return problem->matrix[which].vector >= 2 ? 2 : 1;
}

static void add_operands(struct clg_step *step, const struct clg_problem *problem) {
    clg_step_columns(step, problem, CLG_A, CLG_A);
    clg_step_columns(step, problem, CLG_B, CLG_B);
}

static void add_norms(struct clg_plan *plan, const struct clg_residues *how,
                      const struct workspaces *at) {
    const struct clg_problem *problem = &plan->problem;
    const int64_t groups_a = clg_ceil_div(problem->m / parts(problem), NORMS_ROWS);
    char options[64];
    snprintf(options, sizeof options, "%s -DA_ALONG_K=%d -DB_ALONG_K=%d", numbers(problem),
             clg_is_along_k(problem, CLG_A), clg_is_along_k(problem, CLG_B));
    struct clg_step *step = clg_plan_step(plan, how->norms, NULL, options);
    step->group_size = PACK_GROUP;
    step->groups = (uint64_t)(groups_a + clg_ceil_div(problem->n / parts(problem), NORMS_ROWS));
    step->when = CLG_BEFORE_SLABS;
    clg_step_sizes(step, problem);
    clg_step_int(step, "groups_a", groups_a);
    add_operands(step, problem);
    clg_step_workspace(step, "scales", at->scales);
}

static void add_pack(struct clg_plan *plan, const struct clg_residues *how,
                     const struct clg_params *p, const struct workspaces *at) {
    const struct clg_problem *problem = &plan->problem;
    const int64_t stages = clg_residues_stages(problem);
    const int pairs = parts(problem);
    const int64_t groups_a = packed_rows(problem, problem->m, p->tile_m) * pairs / UNIT * stages;
    const bool conjugates = has_pairs(problem) &&
                            problem->matrix[CLG_A].conjugated != problem->matrix[CLG_B].conjugated;
    char options[192];
    snprintf(
        options, sizeof options,
        "%s -DTILE_M=%d -DTILE_N=%d -DA_ALONG_K=%d -DB_ALONG_K=%d -DA_VECTOR=%d -DB_VECTOR=%d%s%s",
        numbers(problem), p->tile_m, p->tile_n, clg_is_along_k(problem, CLG_A),
        clg_is_along_k(problem, CLG_B), vector_of(problem, CLG_A), vector_of(problem, CLG_B),
        conjugates ? " -DCONJUGATED=1" : "", how->options);
    struct clg_step *step = clg_plan_step(plan, "residues_pack", NULL, options);
    step->group_size = PACK_GROUP;
    step->groups =
        (uint64_t)(groups_a + packed_rows(problem, plan->slab, p->tile_n) * pairs / UNIT * stages);
    clg_step_sizes(step, problem);
    clg_step_int(step, "groups_a", groups_a);
    add_slab(step, plan);
    add_operands(step, problem);
    clg_step_workspace(step, "scales", at->scales);
    clg_step_workspace(step, "a_packed", at->a_packed);
    clg_step_workspace(step, "b_packed", at->b_packed);
}

/* The product of each modulus; or that of magnitudes. */
static void add_product(struct clg_plan *plan, const struct clg_residues *how,
                        const struct clg_facts *facts, const struct clg_params *p,
                        const struct workspaces *at, bool of_magnitudes) {
    const struct clg_problem *problem = &plan->problem;
    const int64_t tiles =
        (of_magnitudes ? 1 : products(problem)) * clg_residues_tiles(problem, p, plan->slab);
    const int64_t units = clg_tiled_units(facts);
    struct clg_params program = *p;
    char options[64];
    program.tile_k = how->stays ? 0 : p->tile_k; /* else the program does not depend on it */
    snprintf(options, sizeof options, "%s%s%s", numbers(problem), how->product_options,
             of_magnitudes          ? " -DCERTIFICATE=1"
             : problem->k >= LONG_K ? " -DLONG_K=1"
                                    : "");
    struct clg_step *step = clg_plan_step(plan, how->source, &program, options);
    step->group_size = how->group_size ? how->group_size : p->wg_m * p->wg_n;
    step->groups = (uint64_t)(how->stays && tiles > units ? units : tiles);
    clg_step_sizes(step, problem);
    add_slab(step, plan);
    clg_step_slab(step, "stored", CLG_ARG_STORED);
    clg_step_workspace(step, "a_packed", at->a_packed);
    clg_step_workspace(step, "b_packed", at->b_packed);
    clg_step_workspace(step, "scales", at->scales);
    clg_step_workspace(step, "residues", at->residues);
}

/* A tile of `rest` that ends where C does begins at a multiple of this; 0: it reaches past C. */
static int grain_of(const struct clg_residues *how, const struct clg_problem *problem,
                    enum clg_matrix_index which) {
    if (how->rest != &clg_family_multistage)
        return 0;
    const struct clg_reading reading = clg_multistage_read(problem, which, how->rest_params);
    return clg_multistage_grain(&reading);
}

static void add_crt(struct clg_plan *plan, const struct clg_residues *how,
                    const struct clg_params *p, const struct workspaces *at) {
    const struct clg_problem *problem = &plan->problem;
    const int crt_each = how->crt_each[has_pairs(problem)];
    char options[192];
    snprintf(options, sizeof options,
             "%s -DTILE_M=%d -DTILE_N=%d -DBAND_M=%d -DVEC_C=%d -DSTRICT_M=%d -DSTRICT_N=%d "
             "-DGRAIN_M=%d -DGRAIN_N=%d%s",
             numbers(problem), p->tile_m, p->tile_n, p->band_m, vector_of(problem, CLG_C),
             how->rest_params->tile_m, how->rest_params->tile_n, grain_of(how, problem, CLG_A),
             grain_of(how, problem, CLG_B), how->options);
    struct clg_step *step = clg_plan_step(plan, "residues_crt", NULL, options);
    step->group_size = CRT_GROUP;
    step->groups = (uint64_t)(clg_residues_tiles(problem, p, plan->slab) *
                              (p->tile_m * p->tile_n / (crt_each * CRT_GROUP)));
    clg_step_int(step, "m", problem->m);
    clg_step_int(step, "n", problem->n);
    add_slab(step, plan);
    clg_step_slab(step, "stored", CLG_ARG_STORED);
    clg_step_scalars(step, true);
    clg_step_workspace(step, "residues", at->residues);
    clg_step_workspace(step, "scales", at->scales);
    clg_step_columns(step, problem, CLG_C, CLG_C);
}

/* The tiles that are left out. */
static void add_rest(struct clg_plan *plan, const struct clg_residues *how,
                     const struct clg_facts *facts, const struct workspaces *at) {
    how->rest->plan(plan, &plan->problem, facts, how->rest_params);
    struct clg_step *step = &plan->steps[plan->num_steps - 1];
    clg_step_option(step, "-DONLY_LEFT_OUT");
    step->when = CLG_AFTER_SLABS;
    clg_step_workspace(step, "scales", at->scales);
}

static int add_bytes(struct clg_plan *plan, int64_t bytes) {
    return clg_plan_elements(plan, clg_ceil_div(bytes, (int64_t)sizeof(double)));
}

void clg_residues_plan(struct clg_plan *plan, const struct clg_residues *how,
                       const struct clg_facts *facts, const struct clg_params *p) {
    struct clg_problem *problem = &plan->problem;
    const int64_t batch = problem->batch;
    plan->slab = clg_residues_slab(problem, facts, p);
    plan->apart = apart(problem, plan->slab);
    plan->each = batch > 1;
    problem->batch = 1;
    const struct workspaces at = {
        .scales = add_bytes(plan, scales_bytes(problem)),
        .a_packed = add_bytes(plan, packed_bytes(problem, problem->m, p->tile_m)),
        .b_packed = add_bytes(plan, packed_bytes(problem, plan->slab, p->tile_n)),
        .residues = add_bytes(plan, residues_bytes(problem, p, plan->slab)),
    };
    add_norms(plan, how, &at);
    add_pack(plan, how, p, &at);
    if (clg_residues_is_certified(problem))
        add_product(plan, how, facts, p, &at, true);
    add_product(plan, how, facts, p, &at, false);
    add_crt(plan, how, p, &at);
    add_rest(plan, how, facts, &at);
    problem->batch = batch;
}

struct clg_tile clg_residues_tile(const struct clg_residues *how, const struct clg_params *p) {
    return (struct clg_tile){p->tile_m % how->rest_params->tile_m ? 2 * p->tile_m : p->tile_m,
                             p->tile_n, ROW_BYTES};
}

/* ---- Their time ---- */

/* What the steps beside the product read and write: doubles, and a byte for each modulus. */
static double traffic(const struct clg_problem *problem) {
    const double real = (double)clg_type_size(problem->type);
    const double operands = (double)problem->k * ((double)problem->m + (double)problem->n) *
                            (2 * real + moduli(problem));
    return operands + (double)problem->m * (double)problem->n *
                          (real + 2.0 * moduli(problem) / parts(problem));
}

double clg_residues_us(const struct clg_problem *problem, const struct clg_costs *costs,
                       int64_t slab, double products_us) {
    const double certificate =
        clg_residues_is_certified(problem) ? costs->residues_certificate_us : 0;
    const double each = costs->residues_fixed_us + certificate + products_us;
    return (double)problem->batch *
           ((double)clg_slabs(problem->n, slab, apart(problem, slab)) * each +
            traffic(problem) / costs->residues_rate);
}
