/* SPDX-License-Identifier: Apache-2.0
 * What a pipeline does, step by step: plain data. run/pipe_plan makes it, run/pipe_run carries it
 * out. */
#ifndef CLG_RUN_PIPE_STEPS_H
#define CLG_RUN_PIPE_STEPS_H

#include "gemm/problem.h"

/* Columns of a matrix, or a part of one column, as one transfer. On the host they are columns
 * `col` ... of the stored matrix, those of a batch counted on from one matrix to the next; on the
 * device `ld` elements apart, the first one from element `at` of the matrix's buffer on. */
struct clg_pipe_piece {
    int matrix;
    int64_t row, rows, col, cols, at, ld;
    int step;  /* up: that must be through with that place, or -1; down: whose result it is */
    int after; /* up: so many pieces must have come down before */
};

/* A product, or in a batch several. */
struct clg_pipe_step {
    struct clg_problem problem; /* as it lies in the buffers */
    int kind;                   /* steps of the same problem are of one kind; these count from 0 */
    bool first;                 /* of those that write this part of C: beta counts */
    int needs;                  /* pieces that must have gone up before */
    int after;                  /* pieces that must have come down before */
};

struct clg_pipe_plan {
    struct clg_pipe_step *steps;
    struct clg_pipe_piece *up, *down;
    int num_steps, num_up, num_down, num_kinds;
    size_t steps_room, up_room, down_room;
    int64_t elements[CLG_MATRICES]; /* of each buffer; 0: none */
    size_t slot;                    /* bytes that the largest piece takes; 0: none takes a slot */
    unsigned direct;                /* bits of matrices between which and the device no slot is */
    int threads;                    /* that copy, the caller's among them */
    double up_bytes, down_bytes;
    double seconds; /* expected */
};

/* Releases what a plan holds. One of zeros is fine. */
void clg_pipe_plan_free(struct clg_pipe_plan *plan);

/* Empties it, keeping its memory: for whoever makes one. */
void clg_pipe_plan_clear(struct clg_pipe_plan *plan);

/* How often an element of that matrix crosses the bus, in the mean. */
double clg_pipe_crossings(const struct clg_pipe_plan *plan, const struct clg_problem *problem,
                          int matrix);

/* Whether that piece goes without a slot. */
static inline bool clg_pipe_is_direct(const struct clg_pipe_plan *plan,
                                      const struct clg_pipe_piece *piece) {
    return plan->direct >> piece->matrix & 1U;
}

#endif
