/* SPDX-License-Identifier: Apache-2.0
 * Complex products as real ones. */
#include "gemm/complex.h"

#include <math.h>
#include <stdio.h>

#include "base/checked.h"

/* What the kernels have built in. */
enum { SIDE = 32, GROUP = 256, MOST = INT32_MAX / 4 };

/* Slabs begin at multiples of this, where vectors do. */
enum { GRAIN = 64 };

/* A step counts as what each unit copies during its launch: 2.5 us at 19,000 bytes, the figures
 * launch_us and copy_rate of kernels/costs. */
enum { STEP_BYTES = 47500 };

static bool is_expanded(enum clg_form form, enum clg_matrix_index which) {
    return form == (which == CLG_A ? CLG_FORM_A : CLG_FORM_B);
}

/* Whether the real product is C. */
static bool is_c(enum clg_form form) {
    return form == CLG_FORM_A || form == CLG_FORM_INSIDE;
}

/* Whether pairs of an operand that is not expanded run along the rows of op()'s transpose. */
static bool is_used_transposed(enum clg_form form, enum clg_matrix_index which) {
    return which == CLG_A ? form == CLG_FORM_B : form == CLG_FORM_PARTS;
}

static bool is_packed(const struct clg_problem *problem, enum clg_form form,
                      enum clg_matrix_index which) {
    const struct clg_matrix *matrix = &problem->matrix[which];
    return form != CLG_FORM_INSIDE &&
           (is_expanded(form, which) || matrix->transposed != is_used_transposed(form, which) ||
            (form == CLG_FORM_A && matrix->conjugated)); /* the others conjugate C's parts */
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
    numbers.stride = twice(matrix->stride);
    numbers.readable = twice(matrix->readable);
    return numbers;
}

/* A matrix of rows x cols numbers in workspace. */
static struct clg_matrix in_workspace(const struct clg_matrix *from, clgemm_type real, int64_t rows,
                                      int64_t cols) {
    const int64_t ld = clg_round_up(rows, CLG_WIDEST_VECTOR);
    return (struct clg_matrix){.rows = rows,
                               .cols = cols,
                               .ld = ld,
                               .stride = from->stride ? ld * cols : 0,
                               .vector = clg_type_vector(real),
                               .bulk = true,
                               .readable = ld};
}

static struct clg_matrix real_operand(const struct clg_problem *problem, enum clg_form form,
                                      enum clg_matrix_index which) {
    const struct clg_matrix *from = &problem->matrix[which];
    const int64_t rows = which == CLG_A ? problem->m : problem->k;
    const int64_t cols = which == CLG_A ? problem->k : problem->n;
    const bool transposed = is_used_transposed(form, which);
    if (!is_packed(problem, form, which)) {
        struct clg_matrix numbers = in_numbers(from);
        numbers.expanded = form == CLG_FORM_INSIDE && which == CLG_A;
        return numbers;
    }
    struct clg_matrix packed =
        in_workspace(from, clg_type_real(problem->type), 2 * (transposed ? cols : rows),
                     is_expanded(form, which) ? 2 * cols
                     : transposed             ? rows
                                              : cols);
    packed.transposed = transposed;
    packed.conjugated = from->conjugated;
    return packed;
}

static struct clg_problem real_problem(const struct clg_problem *problem, enum clg_form form) {
    struct clg_problem real = *problem;
    const struct clg_matrix *c = &problem->matrix[CLG_C];
    real.type = clg_type_real(problem->type);
    real.form = form;
    real.m *= form == CLG_FORM_B ? 1 : 2;
    real.n *= is_c(form) ? 1 : 2;
    real.k *= form == CLG_FORM_PARTS ? 1 : 2;
    real.ahead = (struct clg_ahead){.wanted = false};
    real.matrix[CLG_A] = real_operand(problem, form, CLG_A);
    real.matrix[CLG_B] = real_operand(problem, form, CLG_B);
    real.matrix[CLG_C] = is_c(form) ? in_numbers(c) : in_workspace(c, real.type, real.m, real.n);
    return real;
}

struct clg_problem clg_real_problem(const struct clg_problem *problem) {
    return clg_type_is_complex(problem->type) ? real_problem(problem, CLG_FORM_A) : *problem;
}

/* ---- The form ---- */

/* Whether the real product's matrix is in workspace. */
static bool is_written(const struct clg_problem *problem, enum clg_form form, int i) {
    return i == CLG_C ? !is_c(form) : is_packed(problem, form, (enum clg_matrix_index)i);
}

/* Numbers that are read for it: as many as it has, or half of them if it is expanded. */
static double numbers_read(const struct clg_problem *problem, enum clg_form form, int i) {
    const double numbers = 2 * (double)problem->matrix[i].rows * (double)problem->matrix[i].cols;
    return i == CLG_C && form == CLG_FORM_PARTS ? 2 * numbers : numbers;
}

static void set_form(struct clg_posed *out, const struct clg_problem *problem, enum clg_form form) {
    const double size = (double)clg_type_real_size(problem->type);
    out->form = form;
    out->real = real_problem(problem, form);
    out->workspace = out->moved = out->steps = 0;
    for (int i = CLG_A; i < CLG_MATRICES; i++)
        if (is_written(problem, form, i)) {
            const struct clg_matrix *matrix = &out->real.matrix[i];
            const double each = size * (double)clg_problem_matrices(problem, i);
            const double part = i == CLG_C && problem->triangle != CLG_ALL ? 0.5 : 1;
            out->workspace += each * (double)matrix->ld * (double)matrix->cols;
            out->moved +=
                part * each *
                ((double)matrix->rows * (double)matrix->cols + numbers_read(problem, form, i));
            out->steps++;
        }
}

/* Whether to take CLG_FORM_INSIDE, which writes nothing. The other forms fill tiles better if C has
 * few columns, as these are then twice as many. */
static bool is_inside(const struct clg_problem *problem) {
    enum { LEAST_COLUMNS = 16 };
    return !problem->turns && !is_packed(problem, CLG_FORM_A, CLG_B) && problem->n >= LEAST_COLUMNS;
}

/* Where two operands are written, at least as good a form writes one, unless it is CLG_FORM_A. For
 * a triangle of C (kernels/triangle.h) CLG_FORM_A is as good as CLG_FORM_B if A and B are one
 * matrix. */
static bool is_sensible(const struct clg_problem *problem, enum clg_form form) {
    return form == CLG_FORM_A ||
           (!(is_packed(problem, form, CLG_A) && is_packed(problem, form, CLG_B)) &&
            (form == CLG_FORM_PARTS || problem->triangle == CLG_ALL));
}

/* The form that reads and writes least of those that fit; CLG_FORM_OPEN if none does. In
 * CLG_FORM_A the product itself writes C, which slabs must not do twice. */
static enum clg_form best_form(struct clg_posed *out, const struct clg_problem *problem,
                               enum clg_form only, bool slab, double room) {
    const double step_bytes = STEP_BYTES * fmax(1, out->facts->compute_units);
    enum clg_form best = CLG_FORM_OPEN;
    double least = HUGE_VAL;
    for (int form = slab ? CLG_FORM_B : CLG_FORM_A; form <= (only ? (int)only : CLG_FORM_PARTS);
         form++) {
        set_form(out, problem, (enum clg_form)form);
        const double bytes = out->moved + out->steps * step_bytes;
        if (out->workspace <= room && out->workspace <= (double)out->facts->max_allocation &&
            bytes < least &&
            (only ? form == (int)only : is_sensible(problem, (enum clg_form)form))) {
            best = (enum clg_form)form;
            least = bytes;
        }
    }
    return best;
}

/* Makes the problem that of its first columns. */
static void narrow(struct clg_problem *problem, int64_t columns) {
    struct clg_matrix *b = &problem->matrix[CLG_B];
    problem->n = problem->matrix[CLG_C].cols = columns;
    if (b->transposed) {
        b->readable -= b->rows - columns;
        b->rows = columns;
    } else {
        b->cols = columns;
    }
}

/* Finds the form, and the widest slab that has one by halving it. What is written for all columns
 * may fill `whole`, for a slab half of the room; the rest is the real product's. A triangle's
 * columns are no such slabs. */
static void find_form(struct clg_posed *out, const struct clg_problem *problem, enum clg_form only,
                      double whole, double room) {
    struct clg_problem part = *problem;
    const int64_t rest = problem->n % GRAIN;
    int64_t apart = problem->n - rest;
    out->form = best_form(out, &part, only, false, whole);
    while (!out->form && apart > GRAIN && problem->triangle == CLG_ALL) {
        apart = clg_round_up(apart / 2, GRAIN);
        narrow(&part, apart + rest);
        out->form = best_form(out, &part, only, true, room / 2);
    }
    out->slab = part.n;
    out->apart = apart;
    if (out->form)
        set_form(out, &part, out->form);
}

void clg_pose(struct clg_posed *out, unsigned types, enum clg_form only, bool expands,
              const struct clg_problem *problem, const struct clg_facts *facts) {
    out->problem = problem;
    out->facts = facts;
    out->unsupported_reason = NULL;
    out->form = CLG_FORM_OPEN;
    out->steps = 0;
    out->slab = out->apart = problem->n;
    if (!clg_type_is_complex(problem->type) || types >> problem->type & 1)
        return;
    const double room = clg_workspace_room(problem, facts);
    enum clg_form form = problem->form;
    if (form == CLG_FORM_INSIDE && !expands) /* another family's plan */
        form = CLG_FORM_OPEN;
    if (!form)
        form = expands && is_inside(problem) ? CLG_FORM_INSIDE : only;
    if (problem->m > MOST || problem->n > MOST || problem->k > MOST)
        out->unsupported_reason = "a dimension is too large to be packed";
    else if (facts->max_work_group < GROUP || facts->max_work_items[0] < GROUP)
        out->unsupported_reason = "the device's work-groups are too small to pack";
    else
        find_form(out, problem, form, only ? room / 2 : room, room);
    if (!out->form && !out->unsupported_reason)
        out->unsupported_reason = "the real operands exceed the workspace";
    if (out->unsupported_reason)
        return;
    out->rest = *facts;
    if (out->workspace > 0)
        out->rest.workspace_max =
            (uint64_t)((double)facts->workspace_max * (room - out->workspace) / room);
    out->problem = &out->real;
    out->facts = &out->rest;
}

/* ---- The plan ---- */

/* The group's squares of a matrix of rows x cols pairs. */
static void set_squares(struct clg_step *step, int64_t rows, int64_t cols) {
    step->group_size = GROUP;
    step->groups = (uint64_t)(clg_ceil_div(rows, SIDE) * clg_ceil_div(cols, SIDE));
}

/* -1 if the imaginary parts y of what is written change their signs. An expanded B has two columns,
 * (x, -y) and (y, x), since rows of A meet them: those of its conjugate. If A is to be conjugated,
 * they are (x, y) and (-y, x), and the last step changes the second one's sign. In CLG_FORM_PARTS
 * it has both signs. */
static double sign_of(const struct clg_problem *problem, enum clg_form form,
                      enum clg_matrix_index which) {
    const bool a = problem->matrix[CLG_A].conjugated, b = problem->matrix[CLG_B].conjugated;
    if (form == CLG_FORM_B)
        return a == b ? -1 : 1;
    return form == CLG_FORM_A && problem->matrix[which].conjugated ? -1 : 1;
}

static void add_pack(struct clg_plan *plan, const struct clg_posed *posed,
                     enum clg_matrix_index which) {
    struct clg_problem *problem = &plan->problem;
    const int64_t batch = problem->batch;
    const struct clg_matrix *from = &problem->matrix[which], *to = &posed->real.matrix[which];
    const bool expands = is_expanded(posed->form, which);
    const int64_t rows = to->rows / 2, cols = expands ? to->cols / 2 : to->cols;
    const int workspace = clg_plan_workspace(plan, clg_problem_elements(&posed->real, which));
    char options[64];
    snprintf(options, sizeof options, "-DALONG_COLS=%d -DEXPAND=%d",
             from->transposed != (!expands && is_used_transposed(posed->form, which)), expands);
    problem->batch = clg_problem_matrices(problem, which);
    struct clg_step *step = clg_plan_step(plan, "complex_pack", NULL, options);
    set_squares(step, rows, cols);
    clg_step_int(step, "rows", rows);
    clg_step_int(step, "cols", cols);
    step->args[step->num_args++] = (struct clg_arg){
        .name = "alpha", .kind = posed->form == CLG_FORM_A ? CLG_ARG_ALPHA : CLG_ARG_ONE};
    clg_step_matrix(step, "x", which);
    clg_step_offset(step, "x_offset", which);
    clg_step_long(step, "ld", from->ld);
    clg_step_stride(step, "x_stride", problem, from->stride);
    step->args[step->num_args++] = (struct clg_arg){
        .name = "x_sign", .kind = CLG_ARG_SCALAR, .d = sign_of(problem, posed->form, which)};
    clg_step_workspace(step, "packed", workspace);
    clg_step_int(step, "packed_ld", to->ld / 2);
    clg_step_stride(step, "packed_stride", problem, to->stride / 2);
    clg_step_groups(step, problem);
    problem->batch = batch;
}

/* Makes C from the product in workspace. */
static void add_join(struct clg_plan *plan, const struct clg_posed *posed, int workspace) {
    const struct clg_problem *problem = &plan->problem;
    const struct clg_matrix *product = &posed->real.matrix[CLG_C];
    struct clg_step *step = clg_plan_step(
        plan, "complex_join", NULL, posed->form == CLG_FORM_PARTS ? "-DPARTS=4" : "-DPARTS=2");
    set_squares(step, problem->m, problem->n);
    clg_step_triangle(step, problem);
    clg_step_int(step, "m", problem->m);
    clg_step_slab(step, "n", CLG_ARG_STORED);
    clg_step_scalars(step, true);
    clg_step_workspace(step, "product", workspace);
    clg_step_int(step, "product_ld", product->ld);
    clg_step_stride(step, "product_stride", problem, product->stride);
    clg_step_sign(step, "a_sign", problem, CLG_A);
    clg_step_sign(step, "b_sign", problem, CLG_B);
    clg_step_columns(step, problem, CLG_C, CLG_C);
    clg_step_groups(step, problem);
}

/* Lets a step of the real product, which is one slab, use the matrices in workspace, and factors
 * that are real. */
static void redirect(struct clg_step *step, const struct clg_posed *posed, const int workspace[]) {
    step->when = CLG_EACH_SLAB;
    for (int i = 0; i < step->num_args; i++) {
        struct clg_arg *arg = &step->args[i];
        if (arg->kind == CLG_ARG_MATRIX && workspace[arg->i] >= 0)
            *arg = (struct clg_arg){arg->name, CLG_ARG_WORKSPACE, .i = workspace[arg->i]};
        else if (arg->kind == CLG_ARG_OFFSET && workspace[arg->i] >= 0)
            *arg = (struct clg_arg){arg->name, CLG_ARG_LONG, .l = 0};
        else if (arg->kind == CLG_ARG_OFFSET)
            arg->kind = CLG_ARG_NUMBERS;
        else if (arg->kind == CLG_ARG_ALPHA && posed->form == CLG_FORM_INSIDE)
            arg->kind = CLG_ARG_ALPHA_REAL;
        else if (arg->kind == CLG_ARG_ALPHA)
            *arg = (struct clg_arg){arg->name, CLG_ARG_SCALAR, .d = 1};
        else if (arg->kind == CLG_ARG_BETA && workspace[CLG_C] >= 0)
            *arg = (struct clg_arg){arg->name, CLG_ARG_SCALAR, .d = 0};
        else if (arg->kind == CLG_ARG_BETA)
            arg->kind = CLG_ARG_BETA_REAL;
        else if (arg->kind == CLG_ARG_FIRST)
            *arg = (struct clg_arg){arg->name, CLG_ARG_INT, .i = 0};
        else if (arg->kind == CLG_ARG_STORED)
            *arg = (struct clg_arg){arg->name, CLG_ARG_INT, .i = (int32_t)posed->real.n};
    }
}

void clg_posed_begin(struct clg_plan *plan, const struct clg_posed *posed) {
    const struct clg_problem problem = plan->problem;
    if (!posed->form)
        return;
    narrow(&plan->problem, posed->slab);
    plan->scales_first = is_c(posed->form);
    if (plan->scales_first)
        clg_plan_add_scale(plan, posed->facts);
    for (int i = CLG_A; i <= CLG_B; i++)
        if (is_written(&problem, posed->form, i))
            add_pack(plan, posed, (enum clg_matrix_index)i);
    if (is_written(&problem, posed->form, CLG_C))
        clg_plan_workspace(plan, clg_problem_elements(&posed->real, CLG_C));
    plan->problem = posed->real;
}

void clg_posed_end(struct clg_plan *plan, const struct clg_posed *posed,
                   const struct clg_problem *problem) {
    int workspace[CLG_MATRICES], used = 0;
    if (!posed->form)
        return;
    for (int i = CLG_A; i < CLG_MATRICES; i++)
        workspace[i] = is_written(problem, posed->form, i) ? used++ : -1;
    plan->slab = posed->slab;
    plan->apart = posed->apart;
    plan->problem = *problem;
    narrow(&plan->problem, posed->slab);
    for (int s = plan->scales_first + used - (workspace[CLG_C] >= 0); s < plan->num_steps; s++)
        redirect(&plan->steps[s], posed, workspace);
    if (workspace[CLG_C] >= 0)
        add_join(plan, posed, workspace[CLG_C]);
    plan->problem = *problem;
}
