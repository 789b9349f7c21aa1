/* SPDX-License-Identifier: Apache-2.0
 * Small products by the programs of a large one: for a launch in advance, and for a check. */
#ifndef CLG_GEMM_SMALL_H
#define CLG_GEMM_SMALL_H

#include "gemm/family.h"

enum {
    CLG_WIDE_GRID = 65535 /* work-items from which PoCL compiles another code for a kernel */
};

static inline bool clg_step_is_wide(const struct clg_step *step) {
    return step->groups * step->batch * step->group_size >= CLG_WIDE_GRID;
}

/* How small. */
struct clg_small {
    int tiles;     /* along m and n at most; of a batch twice as many products */
    int64_t depth; /* along k at most, rounded up to tiles */
    bool cut;      /* the last tile has a rest; else the one that it has now, as programs may depend
                      on it */
};

/* Plans as `plan` does, with its parameters, so much of it or all. Matrices lie at the start of
 * their buffers, as aligned as before and with as much to read behind their columns. */
void clg_plan_small(struct clg_plan *out, const struct clg_plan *plan,
                    const struct clg_facts *facts, const struct clg_small *small);

/* Plans the smallest such product whose steps are those of `plan`, program for program, so that it
 * can be carried out in its stead; with cut tiles, where these programs have any. With `widths`
 * each launch is wide where that of `plan` is, and only there. False: none does. */
bool clg_plan_twin(struct clg_plan *out, const struct clg_plan *plan, const struct clg_facts *facts,
                   bool widths);

#endif
