/* SPDX-License-Identifier: Apache-2.0
 * The mma family: the tensor family's parts of floats, multiplied by mma.sync, which NVIDIA's
 * devices have from compute capability 8.0 on (kernels/tensor_mma.cl). One product becomes three or
 * six, and operands are packed. So the family pays only if tensor cores compute several times as
 * many products as the device computes FP32 multiply-adds. */
#include <math.h>
#include <stdio.h>

#include "base/checked.h"
#include "gemm/multistage/multistage.h"
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

static const bool none_lies[] = {false, false};

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
    const char *why =
        clg_tensor_size_unsupported_reason(&clg_family_mma, way, problem, facts, p, none_lies, 0);
    return why ? why : clg_group_unsupported_reason(facts, GROUP);
}

/* ---- The choice ---- */

#define ROW(m, n, k, depth) \
    { .tile_m = (m), .tile_n = (n), .tile_k = (k), .stages = (depth), .band_m = 8 }

/* The predicate keeps the rows that suit the mode: its TILE_K, and a ring that fits. The deepest
 * ring that fits is fastest. */
static const struct clg_params all_rows[] = {
    ROW(256, 128, 64, 4), ROW(256, 128, 64, 3), ROW(256, 128, 64, 2), ROW(128, 128, 64, 4),
    ROW(128, 128, 64, 3), ROW(64, 128, 64, 4),  ROW(64, 64, 64, 4),   ROW(256, 128, 32, 4),
    ROW(256, 128, 32, 3), ROW(256, 128, 32, 2), ROW(128, 128, 32, 4), ROW(128, 128, 32, 3),
    ROW(128, 128, 32, 2), ROW(64, 128, 32, 4),  ROW(64, 128, 32, 3),  ROW(64, 64, 32, 4),
    ROW(64, 64, 32, 3),
};

/* Groups for each tile, if there are fewer tiles than units. */
static const int splits[] = {0, 2, 3, 4, 6, 8, 12, 16};

static const struct clg_params *rows(enum clg_device_kind kind, size_t *count) {
    *count = kind == CLG_DEVICE_GPU ? sizeof all_rows / sizeof *all_rows : 0;
    return all_rows;
}

/* FP32 multiply-adds of a unit in a clock; FP16 products of its tensor cores by mma.sync per clock,
 * where these are known to be fast (CUDA C++ Programming Guide, throughput of arithmetic
 * instructions); and the ratio of the two that other devices must reach. */
enum { FMAS_A_CLOCK = 128, PRODUCTS_A_CLOCK = 1024, LEAST_PRODUCTS = 5 };

static bool pays(const struct clg_facts *facts, const struct clg_rates *rates) {
    return rates ? rates->products >= LEAST_PRODUCTS * rates->multiply_adds : facts->mma_pays;
}

/* The part of that rate that a tile reaches: larger tiles reuse operands in local memory more.
 * Measured on an H200 (docs/log). */
static double reached(const struct clg_params *p) {
    static const double by_size[] = {0.38, 0.52, 0.68, 0.78};
    const int size = p->tile_m / LEAST_TILE * (p->tile_n / LEAST_TILE);
    return by_size[size >= 8 ? 3 : size / 2];
}

/* Both launches, with what precedes the first sums and follows the last; what a shared tile adds,
 * and each of its groups; and the bytes that packing moves per microsecond. */
static const double fixed_us = 4.5, shared_us = 1, share_us = 1.2, pack_bytes = 2e6;

static double us_of(const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_params *p) {
    static const int products[] = {[1] = 1, [2] = 3, [3] = 6};
    const struct clg_tensor_way *way = clg_tensor_way(problem);
    const struct clg_tensor_shares shares = clg_tensor_shares(way, problem, facts, p);
    const double tile = (double)p->tile_m * p->tile_n * clg_tensor_block_k(way);
    const int products_a_clock = facts->mma_pays ? PRODUCTS_A_CLOCK : LEAST_PRODUCTS * FMAS_A_CLOCK;
    const double rate = (double)products_a_clock * facts->clock_mhz * reached(p) * HALF_BYTES /
                        way->element_bytes; /* per microsecond */
    const double blocks = clg_tensor_most_blocks(&shares);
    const double us =
        fixed_us +
        clg_tensor_pack_traffic(&clg_family_mma, way, problem, p, none_lies) / pack_bytes +
        blocks * tile * products[way->split] / rate;
    return shares.streamed ? us + shared_us + share_us * ceil((double)shares.blocks / blocks) : us;
}

/* Whether the tiles are those of an operand that is packed already, if there is one. */
static bool is_of_form(const struct clg_problem *problem, const struct clg_params *p) {
    const struct clg_ahead *ahead = &problem->ahead;
    return !ahead->family || ahead->family != &clg_family_mma ||
           (ahead->which == CLG_A ? p->tile_m == ahead->form.tile_m
                                  : p->tile_n == ahead->form.tile_n);
}

static bool parameters(const struct clg_problem *problem, const struct clg_facts *facts,
                       struct clg_params *out) {
    if (facts->tensor_cores || !facts->mma || !clg_tensor_way(problem))
        return false;
    const double strict = clg_strict_least_us(problem, facts);
    double least = strict;
    for (size_t i = 0; i < sizeof all_rows / sizeof *all_rows; i++)
        for (size_t s = 0; s < sizeof splits / sizeof *splits; s++) {
            struct clg_params candidate = all_rows[i];
            candidate.split_tail = splits[s];
            if (!is_of_form(problem, &candidate) || unsupported_reason(problem, facts, &candidate))
                continue;
            const double us = us_of(problem, facts, &candidate);
            if (us < least) {
                least = us;
                *out = candidate;
            }
        }
    return least < strict;
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
    program.split_tail = program.tile_k = 0; /* the program does not depend on them */
    snprintf(options, sizeof options, "-DVEC_C=%d -DSTREAMED=%d %s",
             problem->matrix[CLG_C].vector >= VECTOR ? VECTOR : 1, shares.streamed, way->options);
    clg_tensor_add_arguments(plan, clg_plan_step(plan, "tensor_mma", &program, options), GROUP,
                             &shares, p, operands);
}

static struct clg_tile tile(const struct clg_params *p) {
    return (struct clg_tile){p->tile_m, p->tile_n, p->tile_k};
}

static bool *premise(struct clg_facts *facts) {
    return &facts->mma;
}

/* ---- For the tuner ---- */

static const struct clg_axis axes_of[] = {
    CLG_AXIS(TILE_M, tile_m, PLAIN, 64, 128, 256),
    CLG_AXIS(TILE_N, tile_n, PLAIN, 64, 128),
    CLG_AXIS(TILE_K, tile_k, PLAIN, 32, 64),
    CLG_AXIS(STAGES, stages, PLAIN, 2, 3, 4, 5, 6),
    CLG_AXIS(BAND_M, band_m, PLAIN, 1, 4, 8, 16),
    CLG_AXIS(SPLIT_TAIL, split_tail, PLAIN, 0, 2, 3, 4, 6, 8, 12, 16),
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
    .premise = premise,
    .pays = pays,
    .unsupported_reason = unsupported_reason,
    .rows = rows,
    .parameters = parameters,
    .form = clg_tensor_form,
    .plan = plan,
    .tile = tile,
    .axes = &axes,
    .describe = clg_tensor_describe,
};
