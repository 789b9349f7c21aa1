/* SPDX-License-Identifier: Apache-2.0
 * What to run for a problem. */
#include "gemm/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "device/workspace.h"
#include "gemm/family.h"
#include "gemm/tuning.h"

enum { SCALE_GROUP = 64 };

const struct clg_family *const clg_families[] = {&clg_family_panel, &clg_family_tiled,
                                                 &clg_family_direct, NULL};

bool clg_step_writes_c(const struct clg_step *step) {
    for (int i = 0; i < step->num_args; i++)
        if (step->args[i].kind == CLG_ARG_C)
            return true;
    return false;
}

const char *clg_plan_family_name(const struct clg_plan *plan) {
    return plan->family ? plan->family->name : plan->num_steps ? "scale" : "none";
}

const struct clg_family *clg_family_find(const char *name) {
    for (size_t i = 0; clg_families[i]; i++)
        if (strcmp(clg_families[i]->name, name) == 0)
            return clg_families[i];
    return NULL;
}

const char *clg_family_why_not(const struct clg_family *family, const struct clg_problem *problem,
                               const struct clg_facts *facts, const struct clg_params *params) {
    const char *why = clg_params_why_not(params);
    return why ? why : family->why_not(problem, facts, params);
}

const char *clg_group_why_not(const struct clg_facts *facts, int64_t group_size) {
    if ((uint64_t)group_size > facts->max_work_group)
        return "the device's work-groups are smaller";
    if ((uint64_t)group_size > facts->max_work_items[0])
        return "the device takes fewer work-items along a dimension";
    return NULL;
}

struct clg_step *clg_plan_step(struct clg_plan *plan, const char *source,
                               const struct clg_params *params, const char *extra) {
    plan->programs[plan->num_steps] = NULL;
    struct clg_step *step = &plan->steps[plan->num_steps++];
    memset(step, 0, sizeof *step);
    step->source = source;
    size_t used = params ? clg_params_options(params, step->options, sizeof step->options) : 0;
    snprintf(step->options + used, sizeof step->options - used, "%s%s", used && *extra ? " " : "",
             extra);
    return step;
}

void clg_step_arg(struct clg_step *step, enum clg_arg_kind matrix) {
    step->args[step->num_args++] = (struct clg_arg){.kind = matrix};
}

void clg_step_int(struct clg_step *step, int64_t value) {
    step->args[step->num_args++] = (struct clg_arg){.kind = CLG_ARG_INT, .i = (int32_t)value};
}

void clg_step_long(struct clg_step *step, int64_t value) {
    step->args[step->num_args++] = (struct clg_arg){.kind = CLG_ARG_LONG, .l = value};
}

void clg_step_float(struct clg_step *step, float value) {
    step->args[step->num_args++] = (struct clg_arg){.kind = CLG_ARG_FLOAT, .f = value};
}

void clg_step_workspace(struct clg_step *step, int number) {
    step->args[step->num_args++] = (struct clg_arg){.kind = CLG_ARG_WORKSPACE, .i = number};
}

double clg_workspace_room(const struct clg_problem *problem, const struct clg_facts *facts) {
    return (double)facts->workspace_max * (problem->copied ? 0.25 : 1);
}

int clg_plan_workspace(struct clg_plan *plan, uint64_t bytes) {
    plan->workspaces[plan->num_workspaces] = bytes;
    return plan->num_workspaces++;
}

int clg_plan_counters(struct clg_plan *plan) {
    return plan->counters = clg_plan_workspace(plan, CLG_COUNTERS_BYTES);
}

static void plan_scale(struct clg_plan *plan, const struct clg_problem *problem,
                       const struct clg_facts *facts) {
    const int64_t elements = problem->m * problem->n;
    plan->why = "no-product";
    struct clg_step *step = clg_plan_step(plan, "scale", NULL, "");
    step->group_size = SCALE_GROUP;
    if (clg_group_why_not(facts, SCALE_GROUP))
        step->group_size = 1;
    step->groups = (uint64_t)clg_ceil_div(elements, (int64_t)step->group_size);
    clg_step_long(step, problem->m);
    clg_step_long(step, elements);
    clg_step_float(step, problem->beta);
    clg_step_arg(step, CLG_ARG_C);
    clg_step_long(step, problem->c.offset);
    clg_step_long(step, problem->c.ld);
}

void clg_plan_with(struct clg_plan *out, const struct clg_family *family,
                   const struct clg_params *params, const struct clg_problem *problem,
                   const struct clg_facts *facts) {
    out->problem = *problem;
    out->family = family;
    out->params = *params;
    out->num_steps = 0;
    out->num_workspaces = 0;
    out->counters = -1;
    out->why = "asked";
    family->plan(out, problem, facts, params);
}

clgemm_status clg_plan_make(struct clg_plan *out, const struct clg_problem *problem,
                            const struct clg_facts *facts, const struct clg_tuning *tuning) {
    out->problem = *problem;
    out->family = NULL;
    out->num_steps = 0;
    out->num_workspaces = 0;
    out->counters = -1;
    out->why = "nothing-to-do";
    if (problem->work == CLG_WORK_NOTHING)
        return CLGEMM_SUCCESS;
    if (problem->work == CLG_WORK_SCALE) {
        plan_scale(out, problem, facts);
        return CLGEMM_SUCCESS;
    }
    const struct clg_tuning_row *row = clg_tuning_find(tuning, problem, facts);
    if (row) {
        clg_plan_with(out, row->family, &row->params, problem, facts);
        out->why = "tuned";
        return CLGEMM_SUCCESS;
    }
    struct clg_params params;
    for (size_t i = 0; clg_families[i]; i++)
        if (clg_families[i]->parameters(problem, facts, &params)) {
            clg_plan_with(out, clg_families[i], &params, problem, facts);
            out->why = clg_families[i]->chosen_for;
            return CLGEMM_SUCCESS;
        }
    return clg_fail((clgemm_status)CL_INVALID_WORK_GROUP_SIZE,
                    "no kernel fits device \"%s\": work-groups of at most %llu", facts->name,
                    (unsigned long long)facts->max_work_group);
}
