/* SPDX-License-Identifier: Apache-2.0
 * The plan of a pipeline: what crosses the bus in which order, and which products are made of it
 * meanwhile; decided without one OpenCL call. run/pipe carries it out.
 *
 *     pieces   go up one after the other, through slots of pinned memory that threads fill
 *     steps    are products, in order; each waits for the pieces that it needs
 *     pieces   of C come down as soon as their step is through
 *
 * Where all three matrices fit the memory that a call may take, C is one block:
 *
 *         slabs of k, each twice as deep as the last:      then the rest of k, in panels:
 *            A        B            C                          A        B          C
 *          +-+---   +------+    +------+                    ---+--+   |  :  |    |  :  |
 *          |0|1 |   |__0___|    | all  |  += A0 B0,           |  |   +--+--+    |p0:p1|  += ...
 *          | |  |   |  1   |    |      |  += A1 B1            |  |   |p0:p1|    |  :  |
 *          +-+---   +------+    +------+                    ---+--+   +--+--+    +--+--+
 *
 * So the device begins with the first slab, not with the last element of A, and a panel of C leaves
 * while later ones are computed. Panels are columns of C, or rows where it is tall; beta's C goes
 * up with its first product. Where the matrices do not fit, C is cut into blocks, each of which
 * stays on the device while slabs of A and B pass by it, two places for either: so each element of
 * C crosses the bus once in either direction, A once for each column of blocks, and B once for each
 * row of blocks. */
#ifndef CLG_RUN_PIPE_PLAN_H
#define CLG_RUN_PIPE_PLAN_H

#include "run/pipe_speeds.h"
#include "run/pipe_steps.h"

/* What a plan may take. */
struct clg_pipe_limits {
    uint64_t bytes;   /* of all three buffers */
    uint64_t largest; /* of one */
    size_t slot;      /* bytes of the largest slot of pinned memory */
};

/* Plans the problem, whose matrices are the host's. False where memory is short, for the plan or,
 * by the limits, for the least of blocks; *out is to be freed in any case. `direct`: bits of
 * matrices that need no slots. */
bool clg_pipe_plan_make(struct clg_pipe_plan *out, const struct clg_problem *problem, bool has_beta,
                        unsigned direct, const struct clg_pipe_speeds *speeds,
                        const struct clg_pipe_limits *limits);

#endif
