/* SPDX-License-Identifier: Apache-2.0
 * The multistage family: PTX's asynchronous copies bring tiles to local memory past the registers,
 * several tiles ahead of the one that is multiplied. Elements are copied one by one where columns
 * are not aligned, so no operand is packed. Doubles go to the FP64 tensor cores.
 */
#include <stdio.h>

#include "base/checked.h"
#include "gemm/tiled/model.h"

enum { FLOAT_RUN = 8, STEP = 4 }; /* vectors of floats; STEP is that of multistage_mma.h */
enum { MOST_REGISTERS = 255, UNIT_REGISTERS = 1 << 16 }; /* on all devices that have the copies */

static bool are_doubles(const struct clg_problem *problem) {
    return problem->type == CLGEMM_F64;
}

/* Elements of an operand's ring of local tiles, padding included. */
static int64_t ring_elements(const struct clg_reading *reading, const struct clg_problem *problem,
                             const struct clg_params *p, int64_t outer) {
    return p->stages *
           (reading->along_k && are_doubles(problem) ? outer * (p->tile_k + CLG_MULTISTAGE_PAD)
                                                     : p->tile_k * (outer + CLG_MULTISTAGE_PAD)) /
           (reading->expanded && are_doubles(problem) ? 2 : 1);
}

/* Work-items that copy neighbouring vectors of a tile's row: a SIMD group, or fewer if it does not
 * divide rows and the group evenly. */
static int row_run(int vectors, int64_t group, int tile_k) {
    int run = CLG_PATCH;
    while (run > 1 && (vectors % run || group % run || tile_k % (group / run)))
        run /= 2;
    return run > 2 ? run : vectors;
}

/* Work-items that copy neighbouring vectors, if the places of each one's share of a tile differ by
 * constants, so that one address serves for all of them; else 0. */
static int run_of(const struct clg_reading *reading, const struct clg_problem *problem,
                  const struct clg_params *p, int outer) {
    const int64_t group = clg_tiled_group_size(p);
    const int vec = reading->vec;
    int steps = p->tile_k;
    if (reading->expanded)
        *(reading->along_k ? &outer : &steps) /= 2;
    if (vec < 1 || outer % vec || steps % vec || (int64_t)outer * steps / vec % group)
        return 0;
    if (!reading->along_k) {
        const int run = row_run(outer / vec, group, steps);
        return group % run == 0 ? run : 0;
    }
    const int vectors = steps / vec;
    const int run = are_doubles(problem) || vectors < FLOAT_RUN ? vectors : FLOAT_RUN;
    const bool even = group % run == 0 && vectors % run == 0 &&
                      (outer % (group / run) == 0 || group / run % outer == 0);
    return even ? run : 0;
}

struct clg_reading clg_multistage_read(const struct clg_problem *problem,
                                       enum clg_matrix_index which, const struct clg_params *p) {
    struct clg_reading reading =
        which == CLG_A ? clg_tiled_read_a(problem, p) : clg_tiled_read_b(problem, p);
    /* Floats are transposed as they are copied: parts of a number together, if alignment allows. */
    if (reading.along_k && !are_doubles(problem))
        reading.vec = reading.expanded && reading.vec > 1 ? 2 : 1;
    while (reading.along_k && problem->k % reading.vec)
        reading.vec /= 2; /* the first tile is the shallow one, so vectors end where k does */
    while (reading.expanded && reading.vec > 1 && !run_of(&reading, problem, p, p->tile_m))
        reading.vec /= 2; /* the group's work-items share half as many elements */
    return reading;
}

int clg_multistage_grain(const struct clg_reading *reading) {
    return reading->along_k ? 1 : reading->vec;
}

static const char *shape_unsupported_reason(const struct clg_problem *problem,
                                            const struct clg_params *p) {
    if (p->tile_m <= 0 || p->tile_n <= 0 || p->tile_k <= 0 || p->wg_m <= 0 || p->wg_n <= 0 ||
        p->band_m <= 0)
        return "a size is missing";
    if (!clg_is_vector(p->vec_a) || !clg_is_vector(p->vec_b))
        return "the vector width is not supported";
    if (p->stages < 2)
        return "a ring has at least two stages";
    const int slices = clg_tiled_wg_slices(p);
    if (p->tile_m % p->wg_m || p->tile_n % p->wg_n || p->tile_k % (2 * STEP * slices))
        return "a tile does not divide evenly among the work-items and steps";
    if ((slices & (slices - 1)) || (slices > 1 && are_doubles(problem)))
        return "WG_K is not a power of two, or the elements are doubles";
    if (p->lanes_m <= 0 || p->lanes_n <= 0 || p->lanes_m * p->lanes_n != CLG_PATCH ||
        p->wg_m % p->lanes_m || p->wg_n % p->lanes_n)
        return "a group is not made of whole SIMD groups";
    if (are_doubles(problem) &&
        (p->lanes_m != 8 || p->tile_m / p->wg_m % 2 || p->tile_n / p->wg_n % 2))
        return "a SIMD group's part of a tile is not made of 16 x 8 blocks";
    if (p->registers &&
        (p->registers > MOST_REGISTERS || clg_tiled_group_size(p) * p->registers > UNIT_REGISTERS))
        return "REGISTERS is more than a work-item or a compute unit has";
    return NULL;
}

/* Whether the exchanges that reuse the tiles' memory fit this many elements, as multistage_fma.h
 * does them: a SIMD group's elements of C before they are stored, and the sums of half of the
 * group's slices, for a fragment's columns at a time. */
static bool exchanges_fit(const struct clg_problem *problem, const struct clg_params *p,
                          int64_t elements) {
    const int64_t rows = (int64_t)p->lanes_m * 4, cols = (int64_t)p->lanes_n * 4; /* at most */
    return are_doubles(problem) ||
           (clg_tiled_group_size(p) / CLG_PATCH * cols * (rows + CLG_MULTISTAGE_PAD) <= elements &&
            clg_tiled_slices_elements(p) <= elements);
}

static const char *unsupported_reason(const struct clg_problem *problem,
                                      const struct clg_facts *facts, const struct clg_params *p) {
    if (!facts->async_copies)
        return "the device has no asynchronous copies that the library uses";
    if (are_doubles(problem) && facts->capability != CLG_AMPERE && facts->capability != CLG_HOPPER)
        return "the device's FP64 tensor cores are slow, or not known";
    const char *why = shape_unsupported_reason(problem, p);
    if (why)
        return why;
    const struct clg_reading a = clg_multistage_read(problem, CLG_A, p);
    const struct clg_reading b = clg_multistage_read(problem, CLG_B, p);
    if (a.expanded && p->tile_m / p->wg_m % 2)
        return "a work-item has half of a complex number";
    if (!run_of(&a, problem, p, p->tile_m) || !run_of(&b, problem, p, p->tile_n))
        return "a tile of A or B does not divide evenly among the work-items";
    const int64_t elements_a = ring_elements(&a, problem, p, p->tile_m);
    const int64_t elements_b = ring_elements(&b, problem, p, p->tile_n);
    if ((elements_a + elements_b) * (int64_t)clg_type_real_size(problem->type) >
        clg_local_bytes(facts))
        return "the ring does not fit local memory";
    if (!exchanges_fit(problem, p, p->tile_m >= p->tile_n ? elements_a : elements_b))
        return "the larger ring is too small to exchange the elements of C";
    why = clg_tiled_size_unsupported_reason(problem, facts, p);
    return why ? why : clg_group_unsupported_reason(facts, clg_tiled_group_size(p));
}

/* At least 1: a ring that fits a group (clg_local_bytes) fits a unit, whatever is known of it. */
static int64_t groups_in_local(const struct clg_problem *problem, const struct clg_facts *facts,
                               const struct clg_params *p) {
    const struct clg_reading a = clg_multistage_read(problem, CLG_A, p);
    const struct clg_reading b = clg_multistage_read(problem, CLG_B, p);
    const int64_t elements =
        ring_elements(&a, problem, p, p->tile_m) + ring_elements(&b, problem, p, p->tile_n);
    const int64_t groups =
        clg_groups_in_local(facts, elements * (int64_t)clg_type_real_size(problem->type));
    return groups > 1 ? groups : 1;
}

static void candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_costs *costs, struct clg_list *list) {
    const bool doubles = are_doubles(problem);
    const struct clg_tiled_table table = {
        .family = &clg_family_multistage,
        .costs = costs,
        .slower = 1,
        .batch_rounds = doubles ? 1 : costs->multistage_batch_rounds,
        .least_round_us = doubles ? costs->multistage_batch_round_f64_us : 0,
        .pieces_us = doubles ? costs->multistage_pieces_f64_us : 0,
        .joined = CLG_MULTISTAGE_JOINED,
        .in_local = doubles ? groups_in_local : NULL,
        .reads_runs = !doubles,
    };
    if (facts->async_copies)
        clg_tiled_add_rows(&table, problem, facts, list);
}

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *p) {
    const struct clg_reading a = clg_multistage_read(problem, CLG_A, p);
    const struct clg_reading b = clg_multistage_read(problem, CLG_B, p);
    const bool small_blocks = are_doubles(problem) && facts->capability == CLG_AMPERE;
    const int grain_m = clg_multistage_grain(&a), grain_n = clg_multistage_grain(&b);
    char bound[32] = "", options[192];
    if (p->registers && facts->bounds_registers)
        snprintf(bound, sizeof bound, " " CLG_REGISTERS_OPTION "%d", p->registers);
    snprintf(
        options, sizeof options, " -DRUN_A=%d -DRUN_B=%d -DGRAIN_M=%d -DGRAIN_N=%d%s%s%s%s%s%s",
        run_of(&a, problem, p, p->tile_m), run_of(&b, problem, p, p->tile_n), grain_m, grain_n,
        problem->m < p->tile_m ? " -DSMALL_M=1" : "", problem->n < p->tile_n ? " -DSMALL_N=1" : "",
        small_blocks ? " -DMMA_M=8" : "", a.expanded ? " -DEXPAND_A=1" : "",
        a.expanded && problem->matrix[CLG_A].conjugated ? " -DCONJ_A=1" : "", bound);
    const struct clg_tiled_kernel kernel = {
        .source = "multistage",
        .options = options,
        .joined = CLG_MULTISTAGE_JOINED,
        .grain_m = grain_m,
        .grain_n = grain_n,
    };
    clg_tiled_plan(plan, &kernel, problem, facts, p, &a, &b);
}

/* ---- For the tuner ---- */

static const struct clg_axis axes_of[] = {
    CLG_AXIS(tile_m, PLAIN, 16, 32, 48, 64, 96, 112, 128, 256),
    CLG_AXIS(tile_n, PLAIN, 16, 32, 48, 56, 64, 80, 96, 112, 128, 256),
    CLG_AXIS(wg_m, PLAIN, 4, 8, 16, 24, 32, 56),
    CLG_AXIS(wg_n, PLAIN, 4, 8, 12, 16, 28, 32),
    CLG_AXIS(tile_k, PLAIN, 8, 16, 32, 64),
    CLG_AXIS(wg_k, PLAIN, 0, 2, 4),
    CLG_AXIS(lanes_m, PATCH, 4, 8),
    CLG_AXIS(vec_a, PLAIN, 1, 2, 4),
    CLG_AXIS(vec_b, PLAIN, 1, 2, 4),
    CLG_AXIS(stages, PLAIN, 2, 3, 4, 5, 6),
    CLG_AXIS(registers, PLAIN, 0, 96, 128, 168, 255),
    CLG_AXIS(band_m, PLAIN, 1, 4, 8, 16, 32),
    CLG_AXIS(split_k, PLAIN, 0, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256),
    CLG_AXIS(split_tail, PLAIN, 0, 2, 4, 8, 16),
};

static const char *shape_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                const struct clg_params *p) {
    enum { MOST_ITEMS = 512, MOST_SUMS = 512 }; /* MOST_SUMS: bytes of registers */
    (void)facts;
    const int64_t items = clg_tiled_group_size(p);
    const int64_t sums = (int64_t)p->tile_m * p->tile_n / clg_tiled_slice_size(p);
    if (items < CLG_PATCH || items > MOST_ITEMS)
        return "a group has fewer than 32 work-items, or more than 512";
    if (sums < 4 || sums * (int64_t)clg_type_real_size(problem->type) > MOST_SUMS)
        return "a work-item has fewer than 4 accumulators, or too many";
    if (clg_overhangs(problem->m, p->tile_m) || clg_overhangs(problem->n, p->tile_n))
        return "less than a quarter of a tile is used";
    return NULL;
}

/* As tiled's: the cuts, and vectors as wide as can be read. */
static const char *bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_params *p) {
    const struct clg_reading a = clg_multistage_read(problem, CLG_A, p);
    const struct clg_reading b = clg_multistage_read(problem, CLG_B, p);
    if (a.vec != p->vec_a || b.vec != p->vec_b)
        return "an operand cannot be read in vectors of this width";
    return clg_tiled_cut_bounds(problem, facts, p);
}

static const struct clg_axes axes = {
    .axes = axes_of,
    .count = CLG_AXES_COUNT(axes_of),
    .shape_axes = 4,
    .core_axes = 10,
    .shape_unsupported_reason = shape_bounds,
    .unsupported_reason = bounds,
};

const struct clg_family clg_family_multistage = {
    .name = "multistage",
    .chosen_for = "async-copies",
    .types = 1U << CLGEMM_F32 | 1U << CLGEMM_F64,
    .strict = true,
    .triangles = true,
    .expands = true,
    .schemes = 1U << CLG_SCHEME_BOTH,
    .premise = offsetof(struct clg_facts, async_copies),
    .unsupported_reason = unsupported_reason,
    .candidates = candidates,
    .plan = plan,
    .axes = &axes,
};
