/* SPDX-License-Identifier: Apache-2.0
 * The tensor family's built-in parameters, a model of the time that each takes, and the choice by
 * that model. The measurements behind its numbers are in docs/log. */
#include <math.h>

#include "base/checked.h"
#include "gemm/multistage/multistage.h"
#include "gemm/tensor/tensor.h"

#define ROW(m, k, depth) \
    { .tile_m = (m), .tile_n = CLG_TENSOR_TILE_N, .tile_k = (k), .stages = (depth), .band_m = 8 }

/* The predicate keeps the rows that suit the mode: its TILE_K, and a ring that fits and holds a
 * block. */
static const struct clg_params rows[] = {
    ROW(256, 64, 4), ROW(192, 64, 5), ROW(192, 64, 4), ROW(128, 64, 6), /* one FP16 or BF16 part */
    ROW(256, 32, 4), ROW(192, 32, 5), ROW(160, 32, 6), ROW(128, 32, 6),
    ROW(192, 32, 3), ROW(160, 32, 3), ROW(128, 32, 4), /* three BF16 parts */
};

/* Groups for each tile, if there are fewer tiles than units. */
static const int splits[] = {0, 2, 3, 4, 6, 8, 12, 16};

/* Launches of pack and product, with what precedes the first sums and follows the last; what a
 * shared tile adds, and each of its groups; and a tile's row of 16-bit elements that is not written
 * in boxes. */
static const double fixed_us = 4.5, shared_us = 1, share_us = 1.2, write_row_us = 1e-2;

const struct clg_params *clg_tensor_rows(enum clg_device_kind kind, size_t *count) {
    *count = kind == CLG_DEVICE_GPU ? sizeof rows / sizeof *rows : 0;
    return rows;
}

double clg_tensor_us(const struct clg_problem *problem, const struct clg_facts *facts,
                     const struct clg_params *p) {
    const struct clg_tensor_way *way = clg_tensor_way(problem);
    const struct clg_tensor_shares shares = clg_tensor_shares(way, problem, facts, p);
    const bool lies[] = {clg_tensor_lies(problem, facts, CLG_A),
                         clg_tensor_lies(problem, facts, CLG_B)};
    const double rounds = (double)clg_ceil_div(shares.tiles, shares.groups);
    const double blocks = clg_tensor_most_blocks(&shares);
    double us =
        fixed_us +
        clg_tensor_pack_traffic(&clg_family_tensor, way, problem, p, lies) / CLG_TENSOR_PACK_BYTES +
        blocks * p->tile_m * (double)way->row_us;
    if (clg_type_is_narrow(problem->type) && !clg_tensor_has_boxes(problem, facts, p))
        us += rounds * p->tile_m * write_row_us;
    if (shares.streamed)
        us += shared_us + share_us * ceil((double)shares.blocks / blocks);
    return us;
}

/* Tries the row with each number of groups for a tile. Sets *least and *out if a time is below
 * *least. */
static void try_row(const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_params *row, double *least, struct clg_params *out) {
    struct clg_params candidate = *row;
    for (size_t s = 0; s < sizeof splits / sizeof *splits; s++) {
        candidate.split_tail = splits[s];
        if (clg_tensor_unsupported_reason(problem, facts, &candidate))
            continue;
        const double us = clg_tensor_us(problem, facts, &candidate);
        if (us < *least) {
            *least = us;
            *out = candidate;
        }
    }
}

/* Whether the tiles are those of an A that is packed already, if there is one. */
static bool is_of_form(const struct clg_problem *problem, const struct clg_params *row) {
    const struct clg_ahead *ahead = &problem->ahead;
    return !ahead->family || !clg_is_ahead(problem, &clg_family_tensor, CLG_A) ||
           row->tile_m == ahead->form.tile_m;
}

double clg_tensor_quickest(const struct clg_problem *problem, const struct clg_facts *facts,
                           double least, struct clg_params *out) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_of_form(problem, &rows[i]))
            try_row(problem, facts, &rows[i], &least, out);
    return least;
}

bool clg_tensor_choose(const struct clg_problem *problem, const struct clg_facts *facts,
                       struct clg_params *out) {
    if (!facts->tensor_cores || !clg_tensor_way(problem))
        return false;
    const double strict = clg_strict_least_us(problem, facts);
    return clg_tensor_quickest(problem, facts, strict, out) < strict;
}
