/* SPDX-License-Identifier: Apache-2.0
 * The panel family, for CPUs: A is packed in panels that stay in a core's L2 cache, B is packed too
 * or read in place, and a few columns of C stay in vector registers (kernels/panel.cl).
 *
 * The kernel's tiles are TILE_M x TILE_N by blocks of TILE_K along k. All three are arguments of
 * the kernel, so that one program serves all shapes. docs/kernels.md explains the design. */
#include "gemm/panel/panel.h"
#include "base/checked.h"
#include "gemm/reduce.h"

enum { MOST_COLUMNS = 14 }; /* the largest REG_N for which kernels/panel.cl has macros */

/* Elements between the groups' blocks, so that the blocks do not share the same cache sets. */
enum { BLOCK_GAP = 1024 };

/* Steps along k of the smallest block that is worth packing. */
enum { LEAST_DEPTH = 64 };

bool clg_panel_is_ahead(const struct clg_problem *problem, enum clg_matrix_index which) {
    return clg_is_ahead(problem, &clg_family_panel, which);
}

bool clg_panel_must_pack(const struct clg_problem *problem, enum clg_matrix_index which) {
    return clg_panel_is_ahead(problem, which) || clg_may_be_c(problem, which) ||
           clg_is_mirrored(problem, (int)which);
}

int clg_panel_width(const struct clg_params *p, enum clg_matrix_index which) {
    return which == CLG_A ? 2 * p->vec : p->reg_n;
}

int64_t clg_panel_packed_size(const struct clg_problem *problem, const struct clg_params *p,
                              enum clg_matrix_index which) {
    return clg_round_up(which == CLG_A ? problem->m : problem->n, clg_panel_width(p, which)) *
           problem->k;
}

static void add_allocation(struct clg_panel_work *work, double elements) {
    const double bytes = elements * work->size;
    work->largest = bytes > work->largest ? bytes : work->largest;
}

static void add_workspace(struct clg_panel_work *work, double elements) {
    work->bytes += elements * work->size;
    add_allocation(work, elements);
}

/* An operand that was packed before the call takes no workspace, but its size is limited too. */
static void add_packed(struct clg_panel_work *work, const struct clg_problem *problem,
                       const struct clg_params *p) {
    const double a = (double)clg_panel_packed_size(problem, p, CLG_A),
                 b = (double)clg_panel_packed_size(problem, p, CLG_B);
    if (clg_panel_is_ahead(problem, CLG_A))
        add_allocation(work, a);
    else if (clg_panel_must_pack(problem, CLG_A))
        add_workspace(work, a * (double)clg_problem_matrices(problem, CLG_A));
    if (clg_panel_is_ahead(problem, CLG_B))
        add_allocation(work, b);
    else if (p->pack_b)
        add_workspace(work, b * (double)clg_problem_matrices(problem, CLG_B));
}

/* The number of groups whose blocks fit beside the other workspace, at least one. */
static int64_t blocks_that_fit(const struct clg_panel_work *work, const struct clg_problem *problem,
                               const struct clg_facts *facts) {
    const double left = clg_workspace_room(problem, facts) - work->bytes;
    const double most = (double)facts->max_allocation;
    const double fitting = (left < most ? left : most) / ((double)work->block * work->size);
    return fitting < 1 ? 1 : fitting < INT32_MAX ? (int64_t)fitting : INT32_MAX;
}

struct clg_panel_work clg_panel_divide(const struct clg_problem *problem,
                                       const struct clg_facts *facts, const struct clg_params *p) {
    struct clg_panel_work work = {
        .slice_k = problem->k, .slices = 1, .size = (double)clg_type_real_size(problem->type)};
    if (p->split_k > 1) { /* whole blocks */
        const int64_t blocks = clg_ceil_div(problem->k, p->tile_k);
        work.slice_k = (blocks < p->split_k ? 1 : blocks / p->split_k) * p->tile_k;
        work.slices = clg_ceil_div(problem->k, work.slice_k);
    }
    if (work.slices == 1)
        work.slice_k = problem->k;
    work.sums = work.slices > 1 || (clg_type_is_narrow(problem->type) && p->tile_k < problem->k);
    const int64_t most =
        CLG_PANEL_GROUPS * (int64_t)(facts->compute_units ? facts->compute_units : 1);
    work.tiles = clg_problem_tiles(problem, p->tile_m, p->tile_n);
    work.tasks = work.tiles * work.slices * problem->batch;
    work.block = (int64_t)p->tile_m * p->tile_k + BLOCK_GAP;
    const double slices = (double)problem->batch * (double)work.slices;
    add_packed(&work, problem, p);
    add_workspace(&work, work.sums ? (double)clg_slice_stride(problem) * slices : 0);
    work.groups = work.tasks == 1 ? 1 : clg_least(most, work.tasks * CLG_PANEL_GROUPS);
    if (clg_panel_must_pack(problem, CLG_A)) /* groups pack no blocks */
        return work;
    work.groups = clg_least(work.groups, blocks_that_fit(&work, problem, facts));
    add_workspace(&work, (double)work.block * (double)work.groups);
    return work;
}

static const char *unsupported_reason(const struct clg_problem *problem,
                                      const struct clg_facts *facts, const struct clg_params *p) {
    const int64_t most = 1 << 30; /* indices past the last tile stay ints */
    const bool packs_b = p->pack_b || clg_panel_is_ahead(problem, CLG_B);
    if (p->vec != 2 && p->vec != 4 && p->vec != 8 && p->vec != 16)
        return "VEC is none of 2, 4, 8, 16";
    if (p->reg_n < 1 || p->reg_n > MOST_COLUMNS)
        return "REG_N is not within 1 .. 14";
    if (p->tile_m <= 0 || p->tile_n <= 0 || p->tile_k <= 0)
        return "a size is missing";
    if (!packs_b && clg_type_is_narrow(problem->type))
        return "16-bit elements must be packed, as floats";
    if (!packs_b && clg_panel_must_pack(problem, CLG_B))
        return "B must be packed: C may be in its place, or half of it is mirrored";
    if (p->split_k > 1 && clg_is_trmm(problem))
        return "the steps of a triangle are not divided";
    if (p->tile_m % (2 * p->vec) || p->tile_n % p->reg_n)
        return "a tile is not made of whole panels";
    if ((uint64_t)(p->vec * p->reg_n) * clg_type_real_size(problem->type) > facts->local_memory)
        return "an edge does not fit local memory";
    if (problem->m > most || problem->n > most || problem->k > most)
        return "a dimension exceeds 2^30";
    if (clg_ceil_div(problem->m, p->tile_m) * clg_ceil_div(problem->n, p->tile_n) >
        most / (p->split_k > 1 ? p->split_k + 1 : 1) / 2 / problem->batch)
        return "there are too many tiles";
    const struct clg_panel_work work = clg_panel_divide(problem, facts, p);
    if (work.largest > (double)facts->max_allocation ||
        work.bytes > clg_workspace_room(problem, facts))
        return "the workspace does not fit the memory that a call may take";
    const char *why = work.sums ? clg_reduce_unsupported_reason(facts) : NULL;
    return why ? why : clg_group_unsupported_reason(facts, 1);
}

/* Whether units would stay idle for lack of workspace, or the parameters are unsupported. */
static bool is_cramped(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_params *p) {
    const struct clg_panel_work work = clg_panel_divide(problem, facts, p);
    return unsupported_reason(problem, facts, p) ||
           work.groups < clg_least(work.tasks, facts->compute_units);
}

/* Changes the parameters to slower ones that take less workspace; false if there are none left. The
 * depth of an operand that is packed already is fixed. */
static bool take_less(const struct clg_problem *problem, struct clg_params *p) {
    const int panel = 2 * p->vec;
    if (p->pack_b && !clg_panel_must_pack(problem, CLG_B) && !clg_type_is_narrow(problem->type))
        p->pack_b = 0;
    else if (p->split_k)
        p->split_k = p->split_k > 3 ? p->split_k / 2 : 0;
    else if (p->tile_k > LEAST_DEPTH && !clg_panel_form(problem)->tile_k)
        p->tile_k = (int)clg_round_up(p->tile_k / 2, p->vec);
    else if (p->tile_m > panel)
        p->tile_m = (int)clg_round_up(p->tile_m / 2, panel);
    else
        return false;
    return true;
}

static double us_of(const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_costs *costs, const struct clg_params *p) {
    const double share = clg_problem_results(problem) / ((double)problem->m * (double)problem->n);
    const double fmas = (double)problem->batch * (double)clg_round_up(problem->m, p->vec) *
                        (double)clg_round_up(problem->n, p->reg_n) * clg_problem_depth(problem) *
                        share;
    const int64_t tasks = clg_panel_divide(problem, facts, p).tasks;
    const double units = (double)clg_least(facts->compute_units, tasks);
    return costs->panel_fixed_us + fmas / (costs->panel_lane_fmas * p->vec * units);
}

static void candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_costs *costs, struct clg_list *list) {
    struct clg_params own;
    if (!clg_panel_shape(problem, facts, costs, &own))
        return;
    while (is_cramped(problem, facts, &own) && take_less(problem, &own)) {
    }
    if (!unsupported_reason(problem, facts, &own))
        clg_list_add(list, &clg_family_panel, &own, us_of(problem, facts, costs, &own),
                     "multiply-adds");
}

/* Either operand may be packed before the call, in panels that are cut at the blocks of k. */
static bool form(const struct clg_problem *problem, const struct clg_facts *facts,
                 enum clg_matrix_index which, struct clg_params *params, struct clg_params *form) {
    (void)problem;
    (void)facts;
    *(which == CLG_A ? &params->pack_a : &params->pack_b) = 1;
    *form = (struct clg_params){.vec = params->vec, .tile_k = params->tile_k};
    if (which == CLG_B)
        form->reg_n = params->reg_n;
    return true;
}

/* Tiles along m and n are arguments of the kernel, so programs do not depend on m and n. */
static struct clg_tile tile(const struct clg_params *p) {
    return (struct clg_tile){0, 0, p->tile_k};
}

/* ---- For the tuner ---- */

static const struct clg_axis axes_of[] = {
    CLG_AXIS(vec, PLAIN, 2, 4, 8, 16),
    CLG_AXIS(reg_n, PLAIN, 4, 6, 8, 10, 12, 14),
    CLG_AXIS(tile_m, PANELS, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32),
    CLG_AXIS(tile_n, CUTS_N, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32),
    CLG_AXIS(tile_k, CUTS_K, 1, 2, 3, 4, 6, 8, 12, 16),
    CLG_AXIS(pack_b, PLAIN, 0, 1),
    CLG_AXIS(split_k, PLAIN, 0, 2, 3, 4, 6, 8, 12, 16),
};

static const char *shape_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                const struct clg_params *p) {
    const struct clg_panel_registers registers = clg_panel_registers_of(problem->type, facts);
    if (p->vec > registers.elements || 2 * p->vec < registers.elements)
        return "VEC is neither the device's vector width nor half of it";
    if (registers.count == 16 && p->reg_n > registers.columns)
        return "REG_N columns need more vector registers than there are";
    return NULL;
}

static const char *bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_params *p) {
    const int64_t blocks = clg_ceil_div(problem->k, p->tile_k);
    (void)facts;
    if (p->split_k > 1 &&
        (blocks < p->split_k || clg_ceil_div(blocks, blocks / p->split_k) != p->split_k))
        return "k does not divide into this number of slices";
    return NULL;
}

static const struct clg_axes axes = {
    .axes = axes_of,
    .count = CLG_AXES_COUNT(axes_of),
    .shape_axes = 2,
    .core_axes = 6,
    .shape_unsupported_reason = shape_bounds,
    .unsupported_reason = bounds,
};

const struct clg_family clg_family_panel = {
    .name = "panel",
    .chosen_for = "panels",
    .types = 1U << CLGEMM_F32 | 1U << CLGEMM_F64 | 1U << CLGEMM_F16 | 1U << CLGEMM_BF16,
    .strict = true,
    .triangles = true,
    .stored = true,
    .schemes = 1U << CLG_SCHEME_PACKED,
    .unsupported_reason = unsupported_reason,
    .candidates = candidates,
    .form = form,
    .plan = clg_panel_plan,
    .tile = tile,
    .axes = &axes,
};
