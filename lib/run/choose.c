/* SPDX-License-Identifier: Apache-2.0
 * Chooses a plan. */
#include "run/choose.h"

#include <stdio.h>

#include "base/format.h"
#include "base/log.h"
#include "tuning/costs.h"

const char clg_why_tuned[] = "tuned";
const char clg_why_interim[] = "interim";
const char clg_why_others_wrong[] = "others-wrong";
const char clg_why_others_spill[] = "others-spill";

static struct clg_candidate measured(const struct clg_problem *problem,
                                     const struct clg_facts *facts,
                                     const struct clg_tuning *tuning) {
    const struct clg_tuning_row *row = clg_tuning_find(tuning, problem, facts);
    return row ? (struct clg_candidate){row->family, row->params, 1e3 * row->ms, NULL}
               : (struct clg_candidate){0};
}

/* The facts without the features that, for this type, only families left out depend on. */
static struct clg_facts facts_without(unsigned left_out, clgemm_type type,
                                      const struct clg_facts *facts) {
    struct clg_facts all = *facts, rest = *facts;
    for (int f = 0; f < CLG_FAMILIES; f++)
        if (left_out >> f & 1 && clg_families[f]->premise)
            *clg_family_premise(clg_families[f], &rest) = false;
    for (int f = 0; f < CLG_FAMILIES; f++)
        if (clg_family_computes(clg_families[f], type) && ~left_out >> f & 1 &&
            clg_families[f]->premise)
            *clg_family_premise(clg_families[f], &rest) =
                *clg_family_premise(clg_families[f], &all);
    return rest;
}

void clg_choose_list(struct clg_list *out, const struct clg_problem *problem,
                     const struct clg_facts *facts, const struct clg_tuning *tuning,
                     unsigned left_out) {
    const struct clg_facts rest = facts_without(left_out, problem->type, facts);
    struct clg_costs room;
    struct clg_problem strict = *problem;
    strict.math = CLGEMM_MATH_STRICT;
    struct clg_basis basis = {.facts = &rest,
                              .costs = clg_costs_in_force(tuning, facts, &room),
                              .measured = measured(problem, &rest, tuning),
                              .without = left_out};
    if (problem->math != CLGEMM_MATH_STRICT)
        basis.measured_strict = measured(&strict, &rest, tuning);
    clg_select(out, problem, &basis);
}

/* The first few, so that a reader sees why. */
static void log_head(const struct clg_list *list) {
    enum { HEAD = 4 };
    char text[HEAD * (CLG_DESCRIPTION + 32)] = "", one[CLG_DESCRIPTION];
    size_t used = 0;
    for (int i = 0; i < list->count && i < HEAD && used < sizeof text; i++)
        used += (size_t)clg_format(text + used, sizeof text - used, "%s%s: %.1f us (%s)",
                                   i ? "; " : "", clg_candidate_text(one, &list->at[i]),
                                   list->at[i].us, list->at[i].limit);
    clg_log(CLG_LOG_PLANS, "candidates of %d: %s", list->count, text);
}

static void plan_candidate(struct clg_plan *out, const struct clg_candidate *candidate,
                           const struct clg_problem *problem, const struct clg_facts *facts) {
    clg_plan_with(out, candidate->family, &candidate->params, problem, facts);
    out->why = clg_candidate_is_measured(candidate) ? clg_why_tuned : candidate->family->chosen_for;
}

clgemm_status clg_choose_plan(struct clg_plan *out, const struct clg_problem *problem,
                              const struct clg_facts *facts, const struct clg_tuning *tuning) {
    struct clg_list list;
    return clg_choose_without(out, &list, 0, problem, facts, tuning);
}

clgemm_status clg_choose_without(struct clg_plan *out, struct clg_list *list, unsigned left_out,
                                 const struct clg_problem *problem, const struct clg_facts *facts,
                                 const struct clg_tuning *tuning) {
    list->count = 0;
    if (problem->work == CLG_WORK_NOTHING) {
        clg_plan_nothing(out, problem);
        return CLGEMM_SUCCESS;
    }
    char text[128];
    const char *why = clg_families_unsupported_reason(problem->type, facts, text, sizeof text);
    if (why)
        return clg_fail(CLGEMM_STATUS_UNSUPPORTED, "%s", why);
    if (problem->work == CLG_WORK_SCALE) {
        clg_plan_scale(out, problem, facts);
        return CLGEMM_SUCCESS;
    }
    clg_choose_list(list, problem, facts, tuning, left_out);
    if (list->count > 0) {
        if (clg_log_on(CLG_LOG_PLANS))
            log_head(list);
        plan_candidate(out, &list->at[0], problem, facts);
        return CLGEMM_SUCCESS;
    }
    return clg_fail((clgemm_status)CL_INVALID_WORK_GROUP_SIZE,
                    "no kernel fits device \"%s\": work-groups of at most %llu", facts->name,
                    (unsigned long long)facts->max_work_group);
}

/* ---- Substitutes ---- */

/* Computes any shape in one launch, without conditions on sizes or alignment. */
static const struct clg_family *const general = &clg_family_direct;

bool clg_choose_among(struct clg_plan *out, const struct clg_list *list,
                      const struct clg_problem *problem, const struct clg_facts *facts,
                      const char *why, bool (*accept)(void *user, const struct clg_plan *plan),
                      void *user) {
    for (int i = 0; i < list->count; i++) {
        if (clg_candidate_is_measured(&list->at[i]))
            continue;
        plan_candidate(out, &list->at[i], problem, facts);
        out->why = why;
        if (accept(user, out))
            return true;
    }
    return false;
}

bool clg_choose_by_measurements(const struct clg_facts *facts, const struct clg_tuning *tuning) {
    struct clg_costs room;
    return !clg_costs_in_force(tuning, facts, &room)->computed;
}

clgemm_status clg_choose_general(struct clg_plan *out, clgemm_type type, bool batched,
                                 enum clg_work work, bool wide, const struct clg_facts *facts) {
    const int64_t side = wide ? 4096 : 8, depth = 16, ld = side > depth ? side : depth;
    const struct clg_operand operand = {.bytes = UINT64_MAX, .ld = ld, .stride = ld * ld};
    struct clg_call call = {.type = type,
                            .layout = CLGEMM_COL_MAJOR,
                            .ta = CLGEMM_NO_TRANS,
                            .tb = CLGEMM_NO_TRANS,
                            .m = side,
                            .n = side,
                            .k = work == CLG_WORK_SCALE ? 0 : depth,
                            .batch = batched ? 2 : 1,
                            .scalars = {.alpha = 1},
                            .operand = {operand, operand, operand}};
    struct clg_problem problem;
    struct clg_list list;
    for (int i = 0; i < CLG_MATRICES; i++)
        call.operand[i].alignment = (unsigned)clg_type_size(type);
    clgemm_status status = clg_problem_init(&problem, &call);
    if (status || work == CLG_WORK_SCALE)
        return status ? status : clg_choose_plan(out, &problem, facts, NULL);
    struct clg_costs room;
    const struct clg_basis basis = {
        .facts = facts, .costs = clg_costs_for(facts, &room), .without = ~clg_family_bit(general)};
    clg_select(&list, &problem, &basis);
    if (list.count == 0)
        return clg_fail(CLGEMM_STATUS_UNSUPPORTED, "there is no general kernel for this device");
    clg_plan_with(out, general, &list.at[0].params, &problem, facts);
    return CLGEMM_SUCCESS;
}
