/* SPDX-License-Identifier: Apache-2.0
 * The last step of a product that is split along k: kernels/reduce.cl adds up the slices. */
#ifndef CLG_GEMM_REDUCE_H
#define CLG_GEMM_REDUCE_H

#include "gemm/plan.h"

/* Slices are column-major and lie one after the other in a workspace; those of a batch's next
 * product follow. Elements from column to column (columns stay aligned for vector loads), and from
 * slice to slice. */
int64_t clg_slice_ld(const struct clg_problem *problem);
int64_t clg_slice_stride(const struct clg_problem *problem);

/* Why the device cannot run the step, or NULL. */
const char *clg_reduce_unsupported_reason(const struct clg_facts *facts);

/* Adds the step, which applies alpha and beta. */
void clg_plan_reduce(struct clg_plan *plan, const struct clg_problem *problem,
                     const struct clg_facts *facts, int workspace, int64_t slices);

#endif
