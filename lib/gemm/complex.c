/* SPDX-License-Identifier: Apache-2.0
 * Complex products as real ones. */
#include "gemm/complex.h"

#include <stdio.h>

#include "base/checked.h"

/* What the kernel has built in. */
enum { SIDE = 32, GROUP = 256, MOST = INT32_MAX / 4 };

static bool is_packed(const struct clg_problem *problem, enum clg_matrix_index which) {
    return which == CLG_A || problem->matrix[which].transposed;
}

/* The leading dimension of a single column may be any number. */
static int64_t twice(int64_t length) {
    return length <= INT64_MAX / 2 ? 2 * length : INT64_MAX;
}

/* A matrix as it is, in numbers. */
static struct clg_matrix in_numbers(const struct clg_matrix *matrix) {
    struct clg_matrix numbers = *matrix;
    numbers.rows = twice(matrix->rows);
    numbers.ld = twice(matrix->ld);
    numbers.offset = twice(matrix->offset);
    numbers.stride = twice(matrix->stride);
    numbers.readable = twice(matrix->readable);
    return numbers;
}

/* A packed matrix of rows x cols numbers. */
static struct clg_matrix packed_matrix(const struct clg_matrix *from, clgemm_type real,
                                       int64_t rows, int64_t cols) {
    const int64_t ld = clg_round_up(rows, CLG_WIDEST_VECTOR);
    return (struct clg_matrix){.rows = rows,
                               .cols = cols,
                               .ld = ld,
                               .stride = from->stride ? ld * cols : 0,
                               .vector = clg_type_vector(real),
                               .bulk = true,
                               .readable = ld};
}

struct clg_problem clg_real_problem(const struct clg_problem *problem) {
    struct clg_problem real = *problem;
    if (!clg_type_is_complex(problem->type))
        return real;
    real.type = clg_type_real(problem->type);
    real.m = 2 * problem->m;
    real.k = 2 * problem->k;
    real.ahead = (struct clg_ahead){.wanted = false};
    real.matrix[CLG_A] = packed_matrix(&problem->matrix[CLG_A], real.type, real.m, real.k);
    real.matrix[CLG_B] = is_packed(problem, CLG_B)
                             ? packed_matrix(&problem->matrix[CLG_B], real.type, real.k, real.n)
                             : in_numbers(&problem->matrix[CLG_B]);
    real.matrix[CLG_C] = in_numbers(&problem->matrix[CLG_C]);
    return real;
}

static void count_packed(struct clg_posed *out, const struct clg_problem *problem) {
    double numbers = 0;
    out->steps = 0;
    for (int i = CLG_A; i <= CLG_B; i++)
        if (is_packed(problem, (enum clg_matrix_index)i)) {
            numbers += (double)clg_problem_elements(&out->real, i);
            out->steps++;
        }
    out->packed = numbers * (double)clg_type_real_size(problem->type);
}

void clg_pose(struct clg_posed *out, unsigned types, const struct clg_problem *problem,
              const struct clg_facts *facts) {
    out->problem = problem;
    out->facts = facts;
    out->unsupported_reason = NULL;
    out->packed = out->steps = 0;
    if (!clg_type_is_complex(problem->type) || types >> problem->type & 1)
        return;
    out->real = clg_real_problem(problem);
    out->rest = *facts;
    out->problem = &out->real;
    out->facts = &out->rest;
    count_packed(out, problem);
    const double room = clg_workspace_room(problem, facts);
    if (problem->m > MOST || problem->n > MOST || problem->k > MOST)
        out->unsupported_reason = "a dimension is too large to be packed";
    else if (facts->max_work_group < GROUP || facts->max_work_items[0] < GROUP)
        out->unsupported_reason = "the device's work-groups are too small to pack";
    else if (out->packed > room || out->packed > (double)facts->max_allocation)
        out->unsupported_reason = "the real operands exceed the workspace";
    else
        out->rest.workspace_max =
            (uint64_t)((double)facts->workspace_max * (room - out->packed) / room);
}

/* ---- The plan ---- */

static void add_pack(struct clg_plan *plan, const struct clg_posed *posed,
                     enum clg_matrix_index which) {
    struct clg_problem *problem = &plan->problem;
    const int64_t batch = problem->batch;
    const struct clg_matrix *from = &problem->matrix[which], *to = &posed->real.matrix[which];
    const int64_t rows = to->rows / 2, cols = which == CLG_A ? to->cols / 2 : to->cols;
    const int workspace = clg_plan_workspace(plan, clg_problem_elements(&posed->real, which));
    char options[64];
    snprintf(options, sizeof options, "-DALONG_COLS=%d -DEXPAND=%d", from->transposed,
             which == CLG_A);
    problem->batch = clg_problem_matrices(problem, which);
    struct clg_step *step = clg_plan_step(plan, "complex_pack", NULL, options);
    step->group_size = GROUP;
    step->groups = (uint64_t)(clg_ceil_div(rows, SIDE) * clg_ceil_div(cols, SIDE));
    clg_step_int(step, "rows", rows);
    clg_step_int(step, "cols", cols);
    step->args[step->num_args++] = (struct clg_arg){.name = "alpha", .kind = CLG_ARG_ALPHA};
    clg_step_matrix(step, "x", which);
    clg_step_long(step, "x_offset", from->offset);
    clg_step_long(step, "ld", from->ld);
    clg_step_stride(step, "x_stride", problem, from->stride);
    clg_step_sign(step, "x_sign", problem, which);
    clg_step_workspace(step, "packed", workspace);
    clg_step_int(step, "packed_ld", to->ld / 2);
    clg_step_stride(step, "packed_stride", problem, to->stride / 2);
    clg_step_groups(step, problem);
    problem->batch = batch;
}

/* Lets a step of the real product take its operands from workspace, and factors that are real. */
static void redirect(struct clg_step *step, const int packed[]) {
    for (int i = 0; i < step->num_args; i++) {
        struct clg_arg *arg = &step->args[i];
        if (arg->kind == CLG_ARG_MATRIX && arg->i != CLG_C && packed[arg->i] >= 0)
            *arg = (struct clg_arg){arg->name, CLG_ARG_WORKSPACE, .i = packed[arg->i]};
        else if (arg->kind == CLG_ARG_ALPHA)
            *arg = (struct clg_arg){arg->name, CLG_ARG_SCALAR, .d = 1};
        else if (arg->kind == CLG_ARG_BETA)
            arg->kind = CLG_ARG_BETA_REAL;
    }
}

/* The workspace of a packed operand; -1 if it is not packed. A's is the first. */
static int workspace_of(const struct clg_problem *problem, enum clg_matrix_index which) {
    return is_packed(problem, which) ? which == CLG_B : -1;
}

void clg_posed_begin(struct clg_plan *plan, const struct clg_posed *posed) {
    const struct clg_problem problem = plan->problem;
    if (posed->problem != &posed->real)
        return;
    plan->scales_first = true;
    clg_plan_add_scale(plan, posed->facts);
    for (int i = CLG_A; i <= CLG_B; i++)
        if (is_packed(&problem, (enum clg_matrix_index)i))
            add_pack(plan, posed, (enum clg_matrix_index)i);
    plan->problem = posed->real;
}

void clg_posed_end(struct clg_plan *plan, const struct clg_posed *posed,
                   const struct clg_problem *problem) {
    if (posed->problem != &posed->real)
        return;
    const int packed[] = {
        [CLG_A] = workspace_of(problem, CLG_A), [CLG_B] = workspace_of(problem, CLG_B)};
    for (int s = 1 + posed->steps; s < plan->num_steps; s++)
        redirect(&plan->steps[s], packed);
    plan->problem = *problem;
}
