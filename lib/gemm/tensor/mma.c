/* SPDX-License-Identifier: Apache-2.0
 * The mma family: the tensor family's parts of floats, multiplied by mma.sync, which NVIDIA's
 * devices have from compute capability 8.0 on (kernels/tensor_mma.cl). One product becomes three or
 * six, and operands are packed. So the family pays only if tensor cores compute several times as
 * many products as the device computes FP32 multiply-adds. */
#include <stdio.h>

#include "base/checked.h"
#include "gemm/tensor/tensor.h"

enum {
    GROUP = 256, /* as in tensor_mma.cl */
    LEAST_TILE = 64,
    MOST_TILE_M = 256,
    MOST_PROMOTED = 128, /* largest TILE_M whose sums and totals fit the registers */
    MOST_TILE_N = 128,
    NUMBER_BYTES = 16, /* local memory for a streamed group's number */
    VECTOR = 2,        /* elements of C */
    HALF_BYTES = 2
};

static int64_t local_bytes(const struct clg_tensor_way *way, const struct clg_params *p) {
    const int64_t scales = way->promoted ? (int64_t)4 * (p->tile_m + p->tile_n) : 0;
    return NUMBER_BYTES + p->stages * (clg_tensor_stage_bytes(way, p->tile_m) +
                                       clg_tensor_stage_bytes(way, p->tile_n) + scales);
}

static bool is_tile(int tile, int most) {
    return tile == LEAST_TILE || tile == 2 * LEAST_TILE || (tile == 4 * LEAST_TILE && tile <= most);
}

static const char *unsupported_reason(const struct clg_problem *problem,
                                      const struct clg_facts *facts, const struct clg_params *p) {
    const struct clg_tensor_way *way = clg_tensor_way(problem);
    if (!facts->mma)
        return "the device has no tensor cores for mma.sync";
    if (!way)
        return "the family does not support this type in this mode";
    if (!is_tile(p->tile_m, MOST_TILE_M) || !is_tile(p->tile_n, MOST_TILE_N))
        return "a tile is none of 64, 128 and, along m, 256";
    if (way->promoted && p->tile_m > MOST_PROMOTED)
        return "the sums and totals do not fit the registers";
    if (p->tile_k != clg_tensor_stage_k(way) || p->band_m <= 0)
        return "the kernel does not support this TILE_K or BAND_M";
    if (p->stages < 2)
        return "a ring has at least two stages";
    if (local_bytes(way, p) > clg_local_bytes(facts))
        return "the ring does not fit local memory";
    const char *why = clg_tensor_size_unsupported_reason(&clg_family_mma, way, problem, facts, p,
                                                         clg_tensor_neither, 0);
    return why ? why : clg_group_unsupported_reason(facts, GROUP);
}

/* ---- The choice ---- */

/* FP32 multiply-adds of a unit in a clock, and the ratio of its tensor cores' products to these
 * that devices must reach where it is not known (CUDA C++ Programming Guide, throughput of
 * arithmetic instructions). */
enum { FMAS_A_CLOCK = 128, LEAST_PRODUCTS = 5 };

static bool pays(const struct clg_facts *facts, const struct clg_rates *rates) {
    return rates ? rates->products >= LEAST_PRODUCTS * rates->multiply_adds : facts->mma_pays;
}

/* Larger tiles reuse operands in local memory more. */
static double reached(const struct clg_costs *costs, const struct clg_params *p) {
    const int size = p->tile_m / LEAST_TILE * (p->tile_n / LEAST_TILE);
    return size >= 8   ? costs->mma_reached_8
           : size >= 4 ? costs->mma_reached_4
           : size >= 2 ? costs->mma_reached_2
                       : costs->mma_reached_1;
}

static double us_of(const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_costs *costs, const struct clg_params *p) {
    static const int products[] = {[1] = 1, [2] = 3, [3] = 6};
    const struct clg_tensor_way *way = clg_tensor_way(problem);
    const struct clg_tensor_shares shares = clg_tensor_shares(way, problem, facts, p);
    const double tile = (double)p->tile_m * p->tile_n * clg_tensor_block_k(way);
    const double a_clock = facts->mma_pays ? costs->mma_products : LEAST_PRODUCTS * FMAS_A_CLOCK;
    const double rate = a_clock * facts->clock_mhz * reached(costs, p) * HALF_BYTES /
                        way->element_bytes; /* per microsecond */
    return costs->tensor_fixed_us +
           clg_tensor_pack_traffic(&clg_family_mma, way, problem, p, clg_tensor_neither) /
               costs->mma_pack_rate +
           clg_tensor_most_blocks(&shares) * tile * products[way->split] / rate +
           clg_tensor_streaming_us(&shares, costs, 1);
}

/* Hopper's own instructions are faster. The deepest ring that fits is fastest, and stands first. */
static void candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_costs *costs, struct clg_list *list) {
    if (!facts->tensor_cores && facts->mma && clg_tensor_way(problem))
        clg_tensor_add_rows(&clg_family_mma, problem, facts, costs, clg_tensor_splits,
                            clg_tensor_neither, us_of, list);
}

/* ---- The plan ---- */

static void plan(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *p) {
    const struct clg_tensor_way *way = clg_tensor_way(problem);
    const struct clg_tensor_shares shares = clg_tensor_shares(way, problem, facts, p);
    struct clg_tensor_operand operands[2] = {{.lies = false}, {.lies = false}};
    struct clg_params program = *p;
    char options[CLG_MAX_OPTIONS];
    clg_tensor_add_operands(plan, &clg_family_mma, way, p, operands);
    program.sharers = program.tile_k = 0; /* the program does not depend on them */
    snprintf(options, sizeof options, "-DVEC_C=%d -DSTREAMED=%d %s",
             problem->matrix[CLG_C].vector >= VECTOR ? VECTOR : 1, shares.streamed, way->options);
    clg_tensor_add_arguments(plan, clg_plan_step(plan, "tensor_mma", &program, options), GROUP,
                             &shares, p, operands);
}

/* ---- For the tuner ---- */

static const struct clg_axis axes_of[] = {
    CLG_AXIS(tile_m, PLAIN, 64, 128, 256), CLG_AXIS(tile_n, PLAIN, 64, 128),
    CLG_AXIS(tile_k, PLAIN, 32, 64),       CLG_AXIS(stages, PLAIN, 2, 3, 4, 5, 6),
    CLG_AXIS(band_m, PLAIN, 1, 4, 8, 16),  CLG_AXIS(sharers, PLAIN, 0, 2, 3, 4, 6, 8, 12, 16),
};

static const struct clg_axes axes = {
    .axes = axes_of,
    .count = CLG_AXES_COUNT(axes_of),
    .shape_axes = 2,
    .core_axes = 4,
    .shape_unsupported_reason = clg_tensor_tile_bounds,
};

const struct clg_family clg_family_mma = {
    .name = "mma",
    .chosen_for = "tensor-cores",
    .types = 1U << CLGEMM_F32 | 1U << CLGEMM_F16 | 1U << CLGEMM_BF16,
    .schemes = 1U << CLG_SCHEME_TENSOR,
    .premise = offsetof(struct clg_facts, mma),
    .pays = pays,
    .unsupported_reason = unsupported_reason,
    .candidates = candidates,
    .form = clg_tensor_form,
    .plan = plan,
    .axes = &axes,
};
