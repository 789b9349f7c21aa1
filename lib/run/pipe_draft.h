/* SPDX-License-Identifier: Apache-2.0
 * A plan of a pipeline while it is being made: parts of matrices become regions and pieces. */
#ifndef CLG_RUN_PIPE_DRAFT_H
#define CLG_RUN_PIPE_DRAFT_H

#include "run/pipe_steps.h"

struct clg_pipe_draft {
    struct clg_pipe_plan *plan;
    const struct clg_problem *problem;
    int64_t alignment; /* of regions, elements */
    size_t slot;       /* bytes of a piece at the most */
    bool short_of_memory;
};

/* A part of a stored matrix, of all products from `product` on or, where they share it, of one. */
struct clg_pipe_box {
    int matrix;
    int64_t row, rows, col, cols, product, products;
};

/* That part on the device: its region, and the matrix that a product finds there. */
struct clg_pipe_held {
    int region;
    struct clg_matrix matrix;
};

/* What a transfer waits for: see struct clg_pipe_piece. */
struct clg_pipe_order {
    int step, after;
};

/* Elements that a box takes on the device. */
int64_t clg_pipe_box_elements(const struct clg_pipe_box *box);

/* Gives the box a region from element `at` on, its columns `ld` apart. */
struct clg_pipe_held clg_pipe_hold(struct clg_pipe_draft *draft, const struct clg_pipe_box *box,
                                   int64_t at, int64_t ld);

/* Cuts the box into pieces that go up to its region, or come down from there. */
void clg_pipe_load(struct clg_pipe_draft *draft, const struct clg_pipe_box *box,
                   const struct clg_pipe_held *held, struct clg_pipe_order order);
void clg_pipe_unload(struct clg_pipe_draft *draft, const struct clg_pipe_box *box,
                     const struct clg_pipe_held *held, int step);

/* Adds the product of what is held, which needs all pieces so far; returns its number. `after`:
 * pieces that must have come down before. */
int clg_pipe_multiply(struct clg_pipe_draft *draft, const struct clg_pipe_held held[CLG_MATRICES],
                      int64_t m, int64_t n, int64_t k, int64_t batch, bool first, int after);

#endif
