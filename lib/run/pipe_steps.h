/* SPDX-License-Identifier: Apache-2.0
 * The steps of a pipeline: plain data. run/pipe_plan makes it, and run/pipe_run executes it. */
#ifndef CLG_RUN_PIPE_STEPS_H
#define CLG_RUN_PIPE_STEPS_H

#include "gemm/problem.h"

/* Columns of a matrix, or a part of one column, in one transfer. On the host they are columns `col`
 * ... of the stored matrix; in a batch, the columns of all its matrices are counted on. On the
 * device they are `ld` elements apart, from element `at` of the matrix's buffer on. */
struct clg_pipe_piece {
    int matrix;
    int64_t row, rows, col, cols, at, ld;
    int step;  /* up: the last step that uses that place, or -1; down: the step that computes it */
    int after; /* up: number of pieces that must have been transferred down before */
};

/* A product, or several of a batch. */
struct clg_pipe_step {
    struct clg_problem problem; /* as it is in the buffers */
    int kind;   /* steps with the same problem are of one kind; kinds count from 0 */
    bool first; /* the first that writes this part of C: beta applies */
    int needs;  /* pieces that must have been transferred up before */
    int after;  /* pieces that must have been transferred down before */
};

struct clg_pipe_plan {
    struct clg_pipe_step *steps;
    struct clg_pipe_piece *up, *down;
    int num_steps, num_up, num_down, num_kinds;
    size_t steps_room, up_room, down_room;
    int64_t elements[CLG_MATRICES]; /* of each buffer; 0: none */
    size_t slot;                    /* bytes of the largest piece in a slot; 0: none needs a slot */
    unsigned direct;                /* bits of matrices that are transferred without slots */
    int threads;                    /* that copy, the caller included */
    double up_bytes, down_bytes;
    double seconds; /* expected */
};

/* Releases what a plan holds. A plan of zeros is fine. */
void clg_pipe_plan_free(struct clg_pipe_plan *plan);

/* Empties the plan but keeps its memory, for making another. */
void clg_pipe_plan_clear(struct clg_pipe_plan *plan);

/* How often an element of that matrix crosses the bus on average. */
double clg_pipe_crossings(const struct clg_pipe_plan *plan, const struct clg_problem *problem,
                          int matrix);

/* Whether that piece is transferred without a slot. */
static inline bool clg_pipe_is_direct(const struct clg_pipe_plan *plan,
                                      const struct clg_pipe_piece *piece) {
    return plan->direct >> piece->matrix & 1U;
}

#endif
