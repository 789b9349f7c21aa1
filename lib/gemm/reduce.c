/* SPDX-License-Identifier: Apache-2.0
 * The last step of a product that was split along k. */
#include "gemm/reduce.h"

#include "base/checked.h"
#include "gemm/family.h"

enum { VECTOR = 4 };

enum { QUADS = 8 }; /* of a group, as kernels/reduce.cl has them */

/* Work-items for a quad: with many slices few would have to read many, one after the other. */
enum { FEW_LANES = 8, MANY_LANES = 32, MANY_SLICES = 64 };

int64_t clg_slice_ld(const struct clg_problem *problem) {
    return clg_round_up(problem->m, VECTOR);
}

int64_t clg_slice_stride(const struct clg_problem *problem) {
    return clg_slice_ld(problem) * problem->n;
}

const char *clg_reduce_why_not(const struct clg_facts *facts) {
    return clg_group_why_not(facts, FEW_LANES * QUADS);
}

void clg_plan_reduce(struct clg_plan *plan, const struct clg_problem *problem,
                     const struct clg_facts *facts, int workspace, int64_t slices) {
    const bool many = slices >= MANY_SLICES && !clg_group_why_not(facts, MANY_LANES * QUADS);
    const int lanes = many ? MANY_LANES : FEW_LANES;
    struct clg_step *step =
        clg_plan_step(plan, "reduce", NULL, many ? "-DSLICE_LANES=32" : "-DSLICE_LANES=8");
    const int64_t stride = clg_slice_stride(problem), quads = stride / VECTOR;
    step->group_size = (uint64_t)lanes * QUADS;
    step->groups = (uint64_t)clg_ceil_div(quads, QUADS);
    clg_step_int(step, problem->m);
    clg_step_long(step, quads);
    clg_step_float(step, problem->alpha);
    clg_step_float(step, problem->beta);
    clg_step_workspace(step, workspace);
    clg_step_int(step, slices);
    clg_step_long(step, stride);
    clg_step_int(step, clg_slice_ld(problem));
    clg_step_arg(step, CLG_ARG_C);
    clg_step_long(step, problem->c.offset);
    clg_step_long(step, problem->c.ld);
}
