/* SPDX-License-Identifier: Apache-2.0
 * The tiled family's built-in parameters, and a model of the time that each takes.
 *
 * In the model a device is a number of compute units that each hold some groups at a time. A group
 * of a row takes a fixed time, and a step time for each tile along k, which grows with the number
 * of groups on the unit. Both were measured on an H200 with one, two and as many groups on each
 * unit as fit (docs/log). On other GPUs the model assumes that all times scale by one factor
 * (docs/kernels.md). */
#ifndef CLG_GEMM_TILED_MODEL_H
#define CLG_GEMM_TILED_MODEL_H

#include "gemm/tiled/tiled.h"

/* The problems that a row is for: all, single products, products whose tiles are not cut, or
 * batches. It is restricted if it was measured for these only, or if other rows are faster
 * elsewhere although the model does not show it. */
enum clg_tiled_use { CLG_FOR_ANY, CLG_FOR_SINGLES, CLG_FOR_WHOLE, CLG_FOR_BATCHES };

/* The measured times of a row. */
struct clg_tiled_cost {
    float fixed_us;      /* before and after the steps */
    float round_us;      /* the same for each further round of groups, if it was measured */
    int resident;        /* groups that fit a compute unit */
    float step_ns[3];    /* with one group on the unit, with two, with as many as fit */
    float scalar;        /* share of the steps that is added if both operands are read in scalars */
    int resident_scalar; /* groups that fit if an operand is read in scalars */
    enum clg_tiled_use use;
};

/* A row's parameters from the numbers in a table of rows, with bands of eight tiles. */
#define CLG_TILED_ROW(tm, tn, tk, wm, wn, wk, lm, ln, va, vb, depth, pad, bound)                  \
    {                                                                                             \
        .tile_m = (tm), .tile_n = (tn), .tile_k = (tk), .wg_m = (wm), .wg_n = (wn), .wg_k = (wk), \
        .lanes_m = (lm), .lanes_n = (ln), .vec_a = (va), .vec_b = (vb), .stages = (depth),        \
        .pad_local = (pad), .registers = (bound), .band_m = 8                                     \
    }
#define CLG_TILED_PARAMS(...) CLG_TILED_ROW(__VA_ARGS__, 0, 0)

/* The rows of a family that divides its work as tiled does. */
struct clg_tiled_table {
    const struct clg_params *rows;
    const struct clg_tiled_cost *costs;
    size_t count;
    double slower;         /* factor of the steps' time for this problem's type */
    double batch_rounds;   /* factor of round_us in a batch */
    double least_round_us; /* in a batch */
    int64_t joined;        /* clg_tiled_joins */
    bool packs;            /* operands that cannot be read in vectors may be packed first */
    bool scatters;         /* C is written in single elements if not aligned for vectors */
    bool reads_runs;       /* operands along k are read in runs of a few elements */
    const char *(*unsupported_reason)(const struct clg_problem *problem,
                                      const struct clg_facts *facts, const struct clg_params *p);
};

/* The tiled family's. */
const struct clg_params *clg_tiled_rows(enum clg_device_kind kind, size_t *count);
bool clg_tiled_row_is_for(size_t row, clgemm_type type);
struct clg_tiled_table clg_tiled_table(const struct clg_problem *problem,
                                       const struct clg_facts *facts);

/* Whether `groups` groups of row `index` are at least twice as many as fit the device. */
bool clg_tiled_fills(const struct clg_tiled_table *table, const struct clg_facts *facts,
                     size_t index, int64_t groups);

/* Modelled microseconds for the problem with row `index` and this cut; `scalars` is the share of
 * tiles' elements that are read in scalars. */
double clg_tiled_time(const struct clg_tiled_table *table, const struct clg_problem *problem,
                      const struct clg_facts *facts, size_t index, const struct clg_cut *cut,
                      double scalars);

/* The fastest row in the model, with its slices and packing; returns its time, HUGE_VAL if no row
 * can compute the problem. */
double clg_tiled_quickest(const struct clg_tiled_table *table, const struct clg_problem *problem,
                          const struct clg_facts *facts, struct clg_params *out);

/* All rows that can compute the problem, each at its best, the fastest first, up to `most`; returns
 * how many. */
int clg_tiled_ranked(const struct clg_tiled_table *table, const struct clg_problem *problem,
                     const struct clg_facts *facts, struct clg_params *out, int most);

/* Modelled microseconds to pack an operand; `size`: bytes of an element, times the matrices of a
 * batch. */
double clg_tiled_pack_us(const struct clg_reading *reading, size_t size,
                         const struct clg_facts *facts);

#endif
