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

/* The rows for a kind of device. */
const struct clg_params *clg_tiled_rows(enum clg_device_kind kind, size_t *count);

/* Whether so many groups of row `index` have one for every place on every compute unit. */
bool clg_tiled_fills(const struct clg_facts *facts, size_t index, int64_t groups);

/* Modelled microseconds for m x n x k with row `index`, cut so; `scalars` is the share of elements
 * of tiles that are read in scalars. */
double clg_tiled_time(const struct clg_problem *problem, const struct clg_facts *facts,
                      size_t index, const struct clg_cut *cut, double scalars);

/* Modelled microseconds that packing an operand takes; `size`: bytes of an element, or of that
 * place in all matrices of a batch. */
double clg_tiled_pack_us(const struct clg_reading *reading, size_t size,
                         const struct clg_facts *facts);

#endif
