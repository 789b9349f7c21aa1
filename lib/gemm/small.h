/* SPDX-License-Identifier: Apache-2.0
 * The programs of a plan, and small products that use them: for a warm-up launch, and for a check.
 */
#ifndef CLG_GEMM_SMALL_H
#define CLG_GEMM_SMALL_H

#include "base/hash.h"
#include "gemm/family.h"

enum {
    CLG_WIDE_GRID = 65535 /* from this many work-items on PoCL compiles other code for a kernel */
};

static inline bool clg_step_is_wide(const struct clg_step *step) {
    return step->groups * step->batch * step->group_size >= CLG_WIDE_GRID;
}

/* Tells the plan's programs from others. With `widths`, wide and narrow launches count as different
 * programs. */
struct clg_hash clg_plan_programs(const struct clg_plan *plan, bool widths);

/* What may be wrong with a large product only, because counters and offsets of 16 or 32 bits
 * overflow in the compiler or the device. */
enum clg_kind {
    CLG_KIND_ANY,
    CLG_KIND_LONG,  /* a work-item makes more than 65535 iterations */
    CLG_KIND_LARGE, /* a matrix spans more than 2^31 bytes */
    CLG_KIND_MANY,  /* a launch has more than 2^16 groups */
    CLG_KINDS
};
extern const char *const clg_kind_names[CLG_KINDS]; /* "", "long loops", "large matrices" ... */

bool clg_plan_is(const struct clg_plan *plan, enum clg_kind kind);

/* The size of a small product. */
struct clg_small {
    int tiles;     /* along m and n at most; a batch has at most twice as many products */
    bool thin;     /* less than a tile along m or n, if the programs allow that */
    bool far;      /* columns of matrices that span more than 2^31 bytes are as far apart as that */
    int64_t depth; /* along k at most, rounded up to tiles */
    bool cut;      /* the last tile is partial; else its remainder stays the same, because programs
                      may depend on it */
};

/* Whether the steps of both run the same programs, by `widths` on grids that are as wide. */
bool clg_plan_is_alike(const struct clg_plan *small, const struct clg_plan *plan, bool widths);

/* Plans a part of `plan`'s problem, or all of it, with the same parameters. Matrices begin at the
 * start of their buffers, with the same alignment and the same readable elements after columns. */
void clg_plan_small(struct clg_plan *out, const struct clg_plan *plan,
                    const struct clg_facts *facts, const struct clg_small *small);

/* Plans the smallest such product whose steps run the same programs as those of `plan`, with
 * partial tiles if the programs allow them. With `widths`, a launch is wide exactly if that of
 * `plan` is. False: there is none. */
bool clg_plan_twin(struct clg_plan *out, const struct clg_plan *plan, const struct clg_facts *facts,
                   bool widths);

/* The same of a kind that `plan` is. `patient`: it may take seconds. */
bool clg_plan_twin_of_kind(struct clg_plan *out, const struct clg_plan *plan,
                           const struct clg_facts *facts, bool widths, enum clg_kind kind,
                           bool patient);

#endif
