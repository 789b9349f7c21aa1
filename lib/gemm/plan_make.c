/* SPDX-License-Identifier: Apache-2.0
 * Whole plans: for nothing, for scaling C, and for a product computed by a family. */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "gemm/complex.h"
#include "gemm/family.h"

enum { SCALE_GROUP = 64 };

const char *clg_plan_family_name(const struct clg_plan *plan) {
    return plan->family ? plan->family->name : plan->num_steps ? "scale" : "none";
}

static void begin(struct clg_plan *plan, const struct clg_problem *problem, const char *why) {
    plan->problem = *problem;
    plan->family = NULL;
    plan->num_steps = 0;
    plan->num_workspaces = 0;
    plan->counters = plan->packed = -1;
    plan->scales_first = false;
    plan->slab = plan->apart = problem->n;
    plan->each = false;
    plan->why = why;
}

static void set_arithmetic(struct clg_plan *plan, const struct clg_facts *facts) {
    for (int i = 0; i < plan->num_steps && clg_type_is_soft(plan->problem.type, facts); i++)
        clg_step_option(&plan->steps[i], "-DSOFT_DOUBLE");
}

void clg_plan_nothing(struct clg_plan *out, const struct clg_problem *problem) {
    begin(out, problem, "nothing-to-do");
}

void clg_plan_add_scale(struct clg_plan *plan, const struct clg_facts *facts) {
    const struct clg_problem *problem = &plan->problem;
    const int64_t elements = problem->m * problem->n;
    struct clg_step *step = clg_plan_step(plan, "scale", NULL, "");
    step->group_size = SCALE_GROUP;
    if (clg_group_unsupported_reason(facts, SCALE_GROUP))
        step->group_size = 1;
    step->groups = (uint64_t)clg_ceil_div(elements, (int64_t)step->group_size);
    clg_step_triangle(step, problem);
    clg_step_long(step, "m", problem->m);
    clg_step_long(step, "elements", elements);
    step->args[step->num_args++] = (struct clg_arg){.name = "beta", .kind = CLG_ARG_BETA};
    clg_step_columns(step, problem, CLG_C, CLG_C);
    clg_step_groups(step, problem);
}

void clg_plan_scale(struct clg_plan *out, const struct clg_problem *problem,
                    const struct clg_facts *facts) {
    begin(out, problem, "no-product");
    clg_plan_add_scale(out, facts);
    set_arithmetic(out, facts);
}

/* The packed operand of the plan: as the problem says, else as this family would pack it. */
static struct clg_ahead ahead_of(const struct clg_problem *problem, const struct clg_facts *facts,
                                 const struct clg_family *family, struct clg_params *params) {
    struct clg_ahead ahead = problem->ahead;
    struct clg_params form;
    const bool is_ahead = clg_family_form(family, problem, facts, params, &form);
    if (ahead.family)
        return ahead;
    ahead.family = family;
    ahead.form = form;
    return is_ahead ? ahead : (struct clg_ahead){.wanted = false};
}

void clg_plan_set_sub_groups(struct clg_plan *plan, const struct clg_facts *facts) {
    char option[128];
    for (int i = 0; i < plan->num_steps; i++) {
        struct clg_step *step = &plan->steps[i];
        const bool exchanges =
            plan->params.spread_b && strcmp(step->source, plan->family->name) == 0;
        const unsigned size = exchanges ? facts->exchange : facts->sub_group;
        snprintf(option, sizeof option, CLG_SUB_GROUP_OPTION "%u)", size);
        if (size)
            clg_step_option(step, option);
    }
}

void clg_plan_with(struct clg_plan *out, const struct clg_family *family,
                   const struct clg_params *params, const struct clg_problem *problem,
                   const struct clg_facts *facts) {
    struct clg_posed posed;
    begin(out, problem, "asked");
    clg_family_pose(&posed, family, problem, facts);
    out->problem.form = posed.form;
    out->family = family;
    out->params = clg_family_own(family, params);
    out->problem.ahead = ahead_of(problem, facts, family, &out->params);
    const struct clg_problem given = out->problem;
    clg_posed_begin(out, &posed);
    family->plan(out, &out->problem, posed.facts, &out->params);
    clg_posed_end(out, &posed, &given);
    set_arithmetic(out, facts);
    clg_plan_set_sub_groups(out, facts);
}
