/* SPDX-License-Identifier: Apache-2.0
 * The last step of a product that is split along k. */
#include "gemm/reduce.h"

#include "base/checked.h"
#include "gemm/family.h"

enum { VECTOR = CLG_WIDEST_VECTOR };

/* How a work-group of kernels/reduce.cl is divided: work-items for each quad, and quads. The more
 * slices there are, the more work-items share a quad, so that none reads many one by one. */
struct division {
    int lanes, quads;
    const char *options;
};

static const struct division one_slice = {1, 64, "-DSLICE_LANES=1 -DQUADS=64"};
static const struct division few_slices = {4, 32, "-DSLICE_LANES=4 -DQUADS=32"};
static const struct division some_slices = {8, 16, "-DSLICE_LANES=8 -DQUADS=16"};
static const struct division many_slices = {32, 8, "-DSLICE_LANES=32 -DQUADS=8"};

static const char *unsupported_reason(const struct clg_facts *facts,
                                      const struct division *division) {
    return clg_group_unsupported_reason(facts, (int64_t)division->lanes * division->quads);
}

static const struct division *division_of(int64_t slices, const struct clg_facts *facts) {
    if (slices == 1) /* sums are only rounded */
        return &one_slice;
    if (slices <= 16)
        return &few_slices;
    return slices >= 64 && !unsupported_reason(facts, &many_slices) ? &many_slices : &some_slices;
}

int64_t clg_slice_ld(const struct clg_problem *problem) {
    return clg_round_up(problem->m, VECTOR);
}

int64_t clg_slice_stride(const struct clg_problem *problem) {
    return clg_slice_ld(problem) * problem->n;
}

const char *clg_reduce_unsupported_reason(const struct clg_facts *facts) {
    return unsupported_reason(facts, &some_slices);
}

void clg_plan_reduce(struct clg_plan *plan, const struct clg_problem *problem,
                     const struct clg_facts *facts, int workspace, int64_t slices) {
    const struct division *division = division_of(slices, facts);
    struct clg_step *step = clg_plan_step(plan, "reduce", NULL, division->options);
    const int64_t stride = clg_slice_stride(problem), quads = stride / VECTOR;
    step->group_size = (uint64_t)division->lanes * (uint64_t)division->quads;
    step->groups = (uint64_t)clg_ceil_div(quads, division->quads);
    clg_step_triangle(step, problem);
    clg_step_int(step, "m", problem->m);
    clg_step_long(step, "quads", quads);
    clg_step_scalars(step, true);
    clg_step_workspace(step, "parts", workspace);
    clg_step_int(step, "slices", slices);
    clg_step_long(step, "stride", stride);
    clg_step_int(step, "ld", clg_slice_ld(problem));
    clg_step_stride(step, "parts_stride", problem, slices * stride);
    clg_step_columns(step, problem, CLG_C, CLG_C);
    clg_step_groups(step, problem);
}
