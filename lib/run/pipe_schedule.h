/* SPDX-License-Identifier: Apache-2.0
 * A pipeline's schedule: which parts of the matrices go up in which order, and what is made of
 * them, by given sizes. run/pipe_plan chooses these. */
#ifndef CLG_RUN_PIPE_SCHEDULE_H
#define CLG_RUN_PIPE_SCHEDULE_H

#include "run/pipe_steps.h"

/* What a schedule is made for. */
struct clg_pipe_task {
    const struct clg_problem *problem;
    bool has_beta;
    unsigned direct; /* see struct clg_pipe_plan */
};

struct clg_pipe_way {
    bool tall;          /* panels are rows of C, each in a place of its own */
    int64_t panel;      /* columns or rows of C in one; of a batch, products */
    int64_t tail;       /* the last panels are halved down to so many; 0: are not */
    int64_t slab, rest; /* k of the first slab, 0: none; k left to the panels */
};

/* C's blocks, and the k of their slabs. */
struct clg_pipe_blocks {
    int64_t m, n, k;
};

/* What sides of panels and blocks are multiples of: so they begin at places that are aligned for
 * vectors and cache lines, whatever the type. */
enum { CLG_PIPE_SIDE = 64 };

/* Both make *out, which is empty or was made before, in pieces of at most `slot` bytes (of one
 * column, if that is longer), but for those that need no slot. False where memory is short. */

/* All of the matrices side by side on the device. */
bool clg_pipe_schedule_whole(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                             const struct clg_pipe_way *way, size_t slot);

/* One product whose C is cut into blocks, A's and B's slabs in two places for either. */
bool clg_pipe_schedule_blocks(struct clg_pipe_plan *out, const struct clg_pipe_task *task,
                              const struct clg_pipe_blocks *blocks, size_t slot);

/* Elements that these take of each matrix's buffer, at the most. */
void clg_pipe_blocks_elements(int64_t out[CLG_MATRICES], const struct clg_pipe_task *task,
                              const struct clg_pipe_blocks *blocks);

#endif
