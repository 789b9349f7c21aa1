/* SPDX-License-Identifier: Apache-2.0
 * A plan of a pipeline while it is being made: parts of matrices get places and become pieces. */
#ifndef CLG_RUN_PIPE_DRAFT_H
#define CLG_RUN_PIPE_DRAFT_H

#include "run/pipe_steps.h"

struct clg_pipe_draft {
    struct clg_pipe_plan *plan;
    const struct clg_problem *problem;
    size_t slot; /* bytes of a piece at the most */
    bool short_of_memory;
};

/* A part of a stored matrix, of all products from `product` on or, where they share it, of one. */
struct clg_pipe_box {
    int matrix;
    int64_t row, rows, col, cols, product, products;
};

/* What a transfer waits for: see struct clg_pipe_piece. */
struct clg_pipe_order {
    int step, after;
};

/* The box as a product finds it in its matrix's buffer, from element `at` on, its columns `ld`
 * apart. */
struct clg_matrix clg_pipe_hold(struct clg_pipe_draft *draft, const struct clg_pipe_box *box,
                                int64_t at, int64_t ld);

/* Cuts the box into pieces that go up to that place, or come down from there. */
void clg_pipe_load(struct clg_pipe_draft *draft, const struct clg_pipe_box *box,
                   const struct clg_matrix *held, struct clg_pipe_order order);
void clg_pipe_unload(struct clg_pipe_draft *draft, const struct clg_pipe_box *box,
                     const struct clg_matrix *held, int step);

/* Adds the product of what is held, which needs all pieces so far; returns its number. `after`:
 * pieces that must have come down before. */
int clg_pipe_multiply(struct clg_pipe_draft *draft, const struct clg_matrix held[CLG_MATRICES],
                      int64_t m, int64_t n, int64_t k, int64_t batch, bool first, int after);

#endif
