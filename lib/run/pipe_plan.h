/* SPDX-License-Identifier: Apache-2.0
 * A pipeline's plan: what crosses the bus in which order, and which products are computed
 * meanwhile. Made without calling OpenCL; run/pipe executes it.
 *
 *     pieces   are transferred up one by one, through slots of pinned memory that threads fill
 *     steps    are products, in order; each waits for the pieces that it needs
 *     pieces   of C are transferred down as soon as their step has ended
 *
 * If all three matrices fit in the memory that a call may use, C is one block:
 *
 *         slabs of k, each twice as deep as the last:      then the rest of k, in panels:
 *            A        B            C                          A        B          C
 *          +-+---   +------+    +------+                    ---+--+   |  :  |    |  :  |
 *          |0|1 |   |__0___|    | all  |  += A0 B0,           |  |   +--+--+    |p0:p1|  += ...
 *          | |  |   |  1   |    |      |  += A1 B1            |  |   |p0:p1|    |  :  |
 *          +-+---   +------+    +------+                    ---+--+   +--+--+    +--+--+
 *
 * So the device begins after the first slab, not after the last element of A, and a panel of C is
 * transferred while later ones are computed. Panels are columns of C, or rows if C is tall. With
 * beta, parts of C are transferred up before their first product.
 *
 * If the matrices do not fit, C is cut into blocks. Each stays on the device while slabs of A and B
 * pass through two places each. Each element of C then crosses the bus once in each direction, A
 * once for each column of blocks, and B once for each row of blocks. */
#ifndef CLG_RUN_PIPE_PLAN_H
#define CLG_RUN_PIPE_PLAN_H

#include "run/pipe_speeds.h"
#include "run/pipe_steps.h"

/* Limits of a plan. */
struct clg_pipe_limits {
    uint64_t bytes;   /* of all three buffers */
    uint64_t largest; /* of one */
    size_t slot;      /* bytes of the largest slot of pinned memory */
};

/* Plans the problem, whose matrices are the host's. False if memory is short, for the plan itself
 * or, within the limits, for the smallest blocks. Free *out in any case. `direct`: bits of matrices
 * that need no slots. */
bool clg_pipe_plan_make(struct clg_pipe_plan *out, const struct clg_problem *problem, bool has_beta,
                        unsigned direct, const struct clg_pipe_speeds *speeds,
                        const struct clg_pipe_limits *limits);

#endif
