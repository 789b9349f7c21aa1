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

/* The family's predicate, rows and choice; none is chosen if tiled is faster. */
const char *clg_multistage_unsupported_reason(const struct clg_problem *problem,
                                              const struct clg_facts *facts,
                                              const struct clg_params *p);
const struct clg_params *clg_multistage_rows(enum clg_device_kind kind, size_t *count);
bool clg_multistage_row_is_for(size_t row, clgemm_type type);
bool clg_multistage_choose(const struct clg_problem *problem, const struct clg_facts *facts,
                           struct clg_params *out);

/* Modelled microseconds in strict mode on a GPU: those of thin if it takes the problem, else of the
 * fastest of tiled's and this family's rows. */
double clg_strict_least_us(const struct clg_problem *problem, const struct clg_facts *facts);

/* The family's `ranked` (gemm/family.h). */
int clg_multistage_rank(const struct clg_problem *problem, const struct clg_facts *facts,
                        struct clg_params *out, int most);

#endif
