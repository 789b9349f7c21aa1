/* SPDX-License-Identifier: Apache-2.0
 * The parts of a plan: its steps with their arguments, and its workspace. */
#include "gemm/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"

bool clg_step_writes_c(const struct clg_step *step) {
    for (int i = 0; i < step->num_args; i++)
        if (step->args[i].kind == CLG_ARG_MATRIX && step->args[i].i == CLG_C)
            return true;
    return false;
}

int64_t clg_slabs(int64_t n, int64_t slab, int64_t apart) {
    return slab < n ? 1 + clg_ceil_div(n - slab, apart) : 1;
}

bool clg_plan_portion(const struct clg_plan *plan, int64_t number, struct clg_portion *out) {
    const int64_t n = plan->problem.n, last = n - plan->slab;
    const int64_t slabs = clg_slabs(n, plan->slab, plan->apart), slab = number % slabs;
    out->product = number / slabs;
    out->first = clg_least(slab * plan->apart, last);
    out->stored =
        slab + 1 < slabs ? clg_least((slab + 1) * plan->apart, last) - out->first : plan->slab;
    return out->product < (plan->each ? plan->problem.batch : 1);
}

struct clg_step *clg_plan_step(struct clg_plan *plan, const char *source,
                               const struct clg_params *params, const char *extra) {
    struct clg_step *step = &plan->steps[plan->num_steps++];
    memset(step, 0, sizeof *step);
    step->source = source;
    step->batch = (uint64_t)plan->problem.batch;
    size_t used = params ? clg_params_options(params, step->options, sizeof step->options) : 0;
    used += (size_t)snprintf(step->options + used, sizeof step->options - used, "%s%s",
                             used && *extra ? " " : "", extra);
    const char *type = clg_types[plan->problem.type].options;
    used += (size_t)snprintf(step->options + used, sizeof step->options - used, "%s%s",
                             used && *type ? " " : "", type);
    if (plan->problem.batch > 1)
        snprintf(step->options + used, sizeof step->options - used, "%s-DBATCH", used ? " " : "");
    return step;
}

void clg_step_option(struct clg_step *step, const char *option) {
    const size_t used = strlen(step->options);
    snprintf(step->options + used, sizeof step->options - used, " %s", option);
}

void clg_step_triangle(struct clg_step *step, const struct clg_problem *problem) {
    if (problem->triangle == CLG_ALL)
        return;
    clg_step_option(step, problem->triangle == CLG_LOWER ? "-DTRIANGLE=1" : "-DTRIANGLE=2");
    if (clg_rows_each(problem) > 1)
        clg_step_option(step, "-DROWS_EACH=2");
    if (clg_extra_diagonals(problem))
        clg_step_option(step, "-DEXTRA=1");
}

void clg_step_tiles(struct clg_step *step, const char *name, const struct clg_problem *problem,
                    int64_t tiles) {
    if (problem->triangle != CLG_ALL)
        clg_step_int(step, name, tiles);
}

void clg_step_matrix(struct clg_step *step, const char *name, enum clg_matrix_index matrix) {
    step->args[step->num_args++] = (struct clg_arg){name, CLG_ARG_MATRIX, .i = matrix};
}

void clg_step_int(struct clg_step *step, const char *name, int64_t value) {
    step->args[step->num_args++] = (struct clg_arg){name, CLG_ARG_INT, .i = (int32_t)value};
}

void clg_step_long(struct clg_step *step, const char *name, int64_t value) {
    step->args[step->num_args++] = (struct clg_arg){name, CLG_ARG_LONG, .l = value};
}

void clg_step_sizes(struct clg_step *step, const struct clg_problem *problem) {
    clg_step_int(step, "m", problem->m);
    clg_step_int(step, "n", problem->n);
    clg_step_int(step, "k", problem->k);
}

void clg_step_offset(struct clg_step *step, const char *name, enum clg_matrix_index matrix) {
    step->args[step->num_args++] = (struct clg_arg){name, CLG_ARG_OFFSET, .i = matrix};
}

void clg_step_stride(struct clg_step *step, const char *name, const struct clg_problem *problem,
                     int64_t stride) {
    if (problem->batch > 1)
        clg_step_long(step, name, stride);
}

void clg_step_groups(struct clg_step *step, const struct clg_problem *problem) {
    if (problem->batch > 1)
        clg_step_int(step, "groups", (int64_t)step->groups);
}

void clg_step_sign(struct clg_step *step, const char *name, const struct clg_problem *problem,
                   enum clg_matrix_index which) {
    if (clg_type_is_complex(problem->type))
        step->args[step->num_args++] =
            (struct clg_arg){name, CLG_ARG_SCALAR, .d = problem->matrix[which].conjugated ? -1 : 1};
}

void clg_step_columns(struct clg_step *step, const struct clg_problem *problem,
                      enum clg_matrix_index as, enum clg_matrix_index matrix) {
    static const struct {
        const char *memory, *offset, *ld, *stride;
    } names[CLG_MATRICES] = {[CLG_A] = {"a", "a_offset", "lda", "a_stride"},
                             [CLG_B] = {"b", "b_offset", "ldb", "b_stride"},
                             [CLG_C] = {"c", "c_offset", "ldc", "c_stride"}};
    clg_step_matrix(step, names[as].memory, matrix);
    clg_step_offset(step, names[as].offset, matrix);
    clg_step_long(step, names[as].ld, problem->matrix[matrix].ld);
    clg_step_stride(step, names[as].stride, problem, problem->matrix[matrix].stride);
}

void clg_step_scalars(struct clg_step *step, bool final) {
    step->args[step->num_args++] =
        (struct clg_arg){"alpha", final ? CLG_ARG_ALPHA : CLG_ARG_SCALAR, .d = 1};
    step->args[step->num_args++] =
        (struct clg_arg){"beta", final ? CLG_ARG_BETA : CLG_ARG_SCALAR, .d = 0};
}

void clg_step_workspace(struct clg_step *step, const char *name, int number) {
    step->args[step->num_args++] = (struct clg_arg){name, CLG_ARG_WORKSPACE, .i = number};
}

void clg_step_slab(struct clg_step *step, const char *name, enum clg_arg_kind kind) {
    step->args[step->num_args++] = (struct clg_arg){.name = name, .kind = kind};
}

void clg_step_memory(struct clg_step *step, const char *name, enum clg_matrix_index matrix,
                     int workspace) {
    if (workspace < 0)
        clg_step_matrix(step, name, matrix);
    else
        clg_step_workspace(step, name, workspace);
}

void clg_step_memory_offset(struct clg_step *step, const char *name, enum clg_matrix_index matrix,
                            int workspace) {
    if (workspace < 0)
        clg_step_offset(step, name, matrix);
    else
        clg_step_long(step, name, 0);
}

static const double share_beside_copies = 0.25;

double clg_copies_room(const struct clg_facts *facts) {
    return (double)facts->workspace_max * (1 - share_beside_copies);
}

double clg_workspace_room(const struct clg_problem *problem, const struct clg_facts *facts) {
    return (double)facts->workspace_max * (problem->copied ? share_beside_copies : 1);
}

static int add_workspace(struct clg_plan *plan, int64_t count, size_t size) {
    plan->workspaces[plan->num_workspaces] = (uint64_t)count * size;
    return plan->num_workspaces++;
}

int clg_plan_workspace(struct clg_plan *plan, int64_t reals) {
    return add_workspace(plan, reals, clg_type_real_size(plan->problem.type));
}

int clg_plan_elements(struct clg_plan *plan, int64_t elements) {
    return add_workspace(plan, elements, clg_type_size(plan->problem.type));
}

int clg_plan_counters(struct clg_plan *plan) {
    return plan->counters = clg_plan_workspace(plan, 0);
}
