/* SPDX-License-Identifier: Apache-2.0
 * The steps of a pipeline. */
#include "run/pipe_steps.h"

#include <stdlib.h>

void clg_pipe_plan_clear(struct clg_pipe_plan *plan) {
    plan->num_steps = plan->num_up = plan->num_down = plan->num_kinds = 0;
    for (int i = 0; i < CLG_MATRICES; i++)
        plan->elements[i] = 0;
    plan->slot = 0;
    plan->up_bytes = plan->down_bytes = plan->seconds = 0;
}

void clg_pipe_plan_free(struct clg_pipe_plan *plan) {
    free(plan->steps);
    free(plan->up);
    free(plan->down);
    *plan = (struct clg_pipe_plan){0};
}

double clg_pipe_crossings(const struct clg_pipe_plan *plan, const struct clg_problem *problem,
                          int matrix) {
    double elements = 0;
    for (int i = 0; i < plan->num_up + plan->num_down; i++) {
        const struct clg_pipe_piece *piece =
            i < plan->num_up ? &plan->up[i] : &plan->down[i - plan->num_up];
        if (piece->matrix == matrix)
            elements += (double)piece->rows * (double)piece->cols;
    }
    return elements / ((double)problem->matrix[matrix].rows * (double)problem->matrix[matrix].cols *
                       (double)clg_problem_matrices(problem, matrix));
}
