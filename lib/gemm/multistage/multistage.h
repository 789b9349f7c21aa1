/* SPDX-License-Identifier: Apache-2.0
 * The multistage family's parts: tiles are copied to local memory while others are multiplied
 * (kernels/multistage.cl), and divided among groups as in the tiled family. */
#ifndef CLG_GEMM_MULTISTAGE_H
#define CLG_GEMM_MULTISTAGE_H

#include "gemm/family.h"
#include "gemm/tiled/tiled.h"

/* Bytes of a tile's slices up to which one group adds them up instead of another kernel
 * (clg_tiled_joins). */
enum { CLG_MULTISTAGE_JOINED = 1 << 17 };

/* How the kernel reads an operand: in place; see the definition for the width of vectors. */
struct clg_reading clg_multistage_read(const struct clg_problem *problem,
                                       enum clg_matrix_index which, const struct clg_params *p);

/* The family's predicate and candidates (gemm/family.h). */
const char *clg_multistage_unsupported_reason(const struct clg_problem *problem,
                                              const struct clg_facts *facts,
                                              const struct clg_params *p);
void clg_multistage_candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                               const struct clg_costs *costs, struct clg_list *list);

#endif
