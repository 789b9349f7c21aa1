/* SPDX-License-Identifier: Apache-2.0
 * The multistage family's parts: tiles that are copied to local memory while others are multiplied
 * (kernels/multistage.cl), and shared out to groups as the tiled family's are. */
#ifndef CLG_GEMM_MULTISTAGE_H
#define CLG_GEMM_MULTISTAGE_H

#include "gemm/family.h"
#include "gemm/tiled/tiled.h"

/* Bytes of a tile's slices that one group adds up rather than another kernel (clg_tiled_joins). */
enum { CLG_MULTISTAGE_JOINED = 1 << 17 };

/* How the kernel reads an operand: in place, and in vectors only where that is cheap to know. */
struct clg_reading clg_multistage_read(const struct clg_problem *problem,
                                       enum clg_matrix_index which, const struct clg_params *p);

/* The family's predicate, rows, choice, which is none where tiled is quicker, and ranking. */
const char *clg_multistage_unsupported_reason(const struct clg_problem *problem,
                                              const struct clg_facts *facts,
                                              const struct clg_params *p);
const struct clg_params *clg_multistage_rows(enum clg_device_kind kind, size_t *count);
bool clg_multistage_row_is_for(size_t row, clgemm_type type);
bool clg_multistage_choose(const struct clg_problem *problem, const struct clg_facts *facts,
                           struct clg_params *out);

/* Modelled microseconds in strict mode on a GPU: of thin where that takes the problem, else of the
 * quickest of tiled's and of this family's rows. */
double clg_strict_least_us(const struct clg_problem *problem, const struct clg_facts *facts);

int clg_multistage_rank(const struct clg_problem *problem, const struct clg_facts *facts,
                        struct clg_params *out, int most);

#endif
