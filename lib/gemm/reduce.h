/* SPDX-License-Identifier: Apache-2.0
 * The last step of a product that was split along k: kernels/reduce.cl adds up the slices. */
#ifndef CLG_GEMM_REDUCE_H
#define CLG_GEMM_REDUCE_H

#include "gemm/plan.h"

/* Slices are column-major and lie one after the other in a workspace: elements from column to
 * column, which keeps columns aligned for vectors, and from slice to slice. Those of the next
 * product of a batch follow. */
int64_t clg_slice_ld(const struct clg_problem *problem);
int64_t clg_slice_stride(const struct clg_problem *problem);

/* Why the device cannot, or NULL. */
const char *clg_reduce_unsupported_reason(const struct clg_facts *facts);

/* Adds the step, which counts in alpha and beta. */
void clg_plan_reduce(struct clg_plan *plan, const struct clg_problem *problem,
                     const struct clg_facts *facts, int workspace, int64_t slices);

#endif
