/* SPDX-License-Identifier: Apache-2.0
 * A pipeline's plan while it is being made: assigns places to parts of matrices and cuts them into
 * pieces. */
#ifndef CLG_RUN_PIPE_DRAFT_H
#define CLG_RUN_PIPE_DRAFT_H

#include "run/pipe_steps.h"

struct clg_pipe_draft {
    struct clg_pipe_plan *plan;
    const struct clg_problem *problem;
    size_t slot; /* the most bytes of a piece */
    bool short_of_memory;
};

/* A part of a stored matrix, for `products` products from `product` on; for one if they share the
 * matrix. */
struct clg_pipe_box {
    int matrix;
    int64_t row, rows, col, cols, product, products;
};

/* What a transfer waits for: see struct clg_pipe_piece. */
struct clg_pipe_order {
    int step, after;
};

/* The box as a matrix of a product: in its matrix's buffer from element `at` on, with columns `ld`
 * apart. */
struct clg_matrix clg_pipe_hold(struct clg_pipe_draft *draft, const struct clg_pipe_box *box,
                                int64_t at, int64_t ld);

/* Cuts the box into pieces that are transferred to that place, or back from it. */
void clg_pipe_load(struct clg_pipe_draft *draft, const struct clg_pipe_box *box,
                   const struct clg_matrix *held, struct clg_pipe_order order);
void clg_pipe_unload(struct clg_pipe_draft *draft, const struct clg_pipe_box *box,
                     const struct clg_matrix *held, int step);

/* Adds the product of these matrices, which waits for all pieces so far. Returns its number.
 * `after`: the number of pieces that must have been transferred back before. */
int clg_pipe_multiply(struct clg_pipe_draft *draft, const struct clg_matrix held[CLG_MATRICES],
                      int64_t m, int64_t n, int64_t k, int64_t batch, bool first, int after);

#endif
