/* SPDX-License-Identifier: Apache-2.0
 * Makes a pipeline's schedule: which parts of the matrices are transferred up in which order, and
 * which products they form, for given sizes. run/pipe_plan chooses the sizes. */
#ifndef CLG_RUN_PIPE_SCHEDULE_H
#define CLG_RUN_PIPE_SCHEDULE_H

#include "run/pipe_steps.h"

/* The input of a schedule. */
struct clg_pipe_task {
    const struct clg_problem *problem;
    bool has_beta;
    unsigned direct; /* see struct clg_pipe_plan */
};

struct clg_pipe_way {
    bool tall;          /* panels are rows of C, each in its own place */
    int64_t panel;      /* columns or rows of C in one; in a batch, products */
    int64_t tail;       /* the last panels are halved down to this; 0: they are not */
    int64_t slab, rest; /* k of the first slab (0: no slabs); k left to the panels */
};

/* The blocks of C, and the depth of their slabs. */
struct clg_pipe_blocks {
    int64_t m, n, k;
};

/* Sides of panels and blocks are multiples of this, so that they begin at addresses aligned for
 * vectors and cache lines, whatever the type. */
enum { CLG_PIPE_SIDE = 64 };

/* Both functions make *out, which is empty or was made before. Pieces have at most `slot` bytes (or
 * one column, if that is longer), except those that need no slot. False if memory is short. */

/* A schedule with whole matrices side by side on the device. */
bool clg_pipe_schedule_whole(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                             const struct clg_pipe_way *way, size_t slot);

/* A schedule for one product whose C is cut into blocks, with two places each for slabs of A and B.
 */
bool clg_pipe_schedule_blocks(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                              const struct clg_pipe_blocks *blocks, size_t slot);

/* The most elements of each matrix's buffer that these blocks need. */
void clg_pipe_blocks_elements(int64_t out[CLG_MATRICES], const struct clg_pipe_task *task,
                              const struct clg_pipe_blocks *blocks);

#endif
