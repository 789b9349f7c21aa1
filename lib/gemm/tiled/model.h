/* SPDX-License-Identifier: Apache-2.0
 * The tiled family's built-in parameters, and a model of the time that each takes.
 *
 * The model knows a device as compute units that each hold some groups at a time. A group of a row
 * takes a fixed time and then `step` for each tile along k; the step grows with the number of
 * groups that share the unit. Both were measured, with tiles just filling an H200 once, twice and
 * as often as groups fit; docs/kernels.md has the figures and how well the model chooses. On other
 * devices all of it scales by about the same factor, so that the choice stays sound. */
#ifndef CLG_GEMM_TILED_MODEL_H
#define CLG_GEMM_TILED_MODEL_H

#include "gemm/tiled/tiled.h"

/* What a row is for, if it was measured in some products only, or others are quicker elsewhere
 * though not by the model: single products, those whose tiles are not cut, or batches. */
enum clg_tiled_use { CLG_FOR_ANY, CLG_FOR_SINGLES, CLG_FOR_WHOLE, CLG_FOR_BATCHES };

/* What was measured of a row. */
struct clg_tiled_cost {
    float fixed_us;      /* before and after the steps */
    float round_us;      /* the same of each further round of groups, where it was measured */
    int resident;        /* groups that fit a compute unit */
    float step_ns[3];    /* with one group on the unit, with two, with as many as fit */
    float scalar;        /* share that reading both operands in scalars adds to the steps */
    int resident_scalar; /* groups that fit with either read so */
    enum clg_tiled_use use;
};

/* A row's parameters, by the numbers that tables of rows have, and bands of eight tiles. */
#define CLG_TILED_ROW(tm, tn, tk, wm, wn, wk, lm, ln, va, vb, depth, pad, bound)                  \
    {                                                                                             \
        .tile_m = (tm), .tile_n = (tn), .tile_k = (tk), .wg_m = (wm), .wg_n = (wn), .wg_k = (wk), \
        .lanes_m = (lm), .lanes_n = (ln), .vec_a = (va), .vec_b = (vb), .stages = (depth),        \
        .pad_local = (pad), .registers = (bound), .band_m = 8                                     \
    }
#define CLG_TILED_PARAMS(...) CLG_TILED_ROW(__VA_ARGS__, 0, 0)

/* The rows of a family that shares out its work as tiled does. */
struct clg_tiled_table {
    const struct clg_params *rows;
    const struct clg_tiled_cost *costs;
    size_t count;
    double slower; /* what the steps take of this problem's type for one of what was measured */
    double batch_rounds;   /* what is left of round_us in a batch */
    double least_round_us; /* in a batch */
    int64_t joined;        /* clg_tiled_joins */
    bool packs;            /* operands that cannot be read in vectors may be packed first */
    bool scatters;         /* a C whose columns take no vectors is written in single elements */
    bool reads_runs;       /* operands along k come in runs of a few elements */
    const char *(*unsupported_reason)(const struct clg_problem *problem,
                                      const struct clg_facts *facts, const struct clg_params *p);
};

/* The tiled family's. */
const struct clg_params *clg_tiled_rows(enum clg_device_kind kind, size_t *count);
bool clg_tiled_row_is_for(size_t row, clgemm_type type);
struct clg_tiled_table clg_tiled_table(const struct clg_problem *problem,
                                       const struct clg_facts *facts);

/* Whether so many groups of row `index` are two for every place on every compute unit. */
bool clg_tiled_fills(const struct clg_tiled_table *table, const struct clg_facts *facts,
                     size_t index, int64_t groups);

/* Modelled microseconds for m x n x k with row `index`, cut so; `scalars` is the share of elements
 * of tiles that are read in scalars. */
double clg_tiled_time(const struct clg_tiled_table *table, const struct clg_problem *problem,
                      const struct clg_facts *facts, size_t index, const struct clg_cut *cut,
                      double scalars);

/* The row that the model finds quickest, with its slices and packing; returns its time, HUGE_VAL if
 * no row can. */
double clg_tiled_quickest(const struct clg_tiled_table *table, const struct clg_problem *problem,
                          const struct clg_facts *facts, struct clg_params *out);

/* All rows that can, each at its best, the quickest first, `most` at most; returns how many. */
int clg_tiled_ranked(const struct clg_tiled_table *table, const struct clg_problem *problem,
                     const struct clg_facts *facts, struct clg_params *out, int most);

/* Modelled microseconds that packing an operand takes; `size`: bytes of an element, or of that
 * place in all matrices of a batch. */
double clg_tiled_pack_us(const struct clg_reading *reading, size_t size,
                         const struct clg_facts *facts);

#endif
