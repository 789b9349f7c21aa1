/* SPDX-License-Identifier: Apache-2.0
 * Chooses a plan. */
#include "run/choose.h"

#include "gemm/family.h"

/* Chooses a measured row, else the first family with parameters for the problem. Strict problems
 * use the families that compute in strict mode, other problems the families that do not. `only`, if
 * not NULL, is the only family considered. */
static bool choose(struct clg_plan *out, const struct clg_problem *problem,
                   const struct clg_facts *facts, const struct clg_tuning *tuning,
                   const struct clg_family *only) {
    struct clg_params params;
    const struct clg_tuning_row *row = clg_tuning_find(tuning, problem, facts);
    if (row && (!only || row->family == only)) {
        clg_plan_with(out, row->family, &row->params, problem, facts);
        out->why = "tuned";
        return true;
    }
    for (size_t i = 0; clg_families[i]; i++)
        if ((!only || clg_families[i] == only) &&
            clg_families[i]->strict == (problem->math == CLGEMM_MATH_STRICT) &&
            clg_family_parameters(clg_families[i], problem, facts, &params)) {
            clg_plan_with(out, clg_families[i], &params, problem, facts);
            out->why = clg_families[i]->chosen_for;
            return true;
        }
    return false;
}

/* A mode is a permission: strict arithmetic is used if it is faster or if no other is possible. */
static bool choose_in_mode(struct clg_plan *out, const struct clg_problem *problem,
                           const struct clg_facts *facts, const struct clg_tuning *tuning,
                           const struct clg_family *only) {
    struct clg_problem strict = *problem;
    strict.math = CLGEMM_MATH_STRICT;
    return (problem->math != CLGEMM_MATH_STRICT && choose(out, problem, facts, tuning, only)) ||
           choose(out, &strict, facts, tuning, only);
}

clgemm_status clg_choose_plan(struct clg_plan *out, const struct clg_problem *problem,
                              const struct clg_facts *facts, const struct clg_tuning *tuning) {
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
    /* An operand that is already packed is a reason to use the family that packed it. */
    if ((problem->ahead.family &&
         choose_in_mode(out, problem, facts, tuning, problem->ahead.family)) ||
        choose_in_mode(out, problem, facts, tuning, NULL)) {
        out->problem.math = problem->math;
        return CLGEMM_SUCCESS;
    }
    return clg_fail((clgemm_status)CL_INVALID_WORK_GROUP_SIZE,
                    "no kernel fits device \"%s\": work-groups of at most %llu", facts->name,
                    (unsigned long long)facts->max_work_group);
}

/* ---- Substitutes ---- */

const char clg_why_interim[] = "interim";
const char clg_why_others_wrong[] = "others-wrong";

enum { RANKED_MAX = 64 };

/* Computes any shape in one launch, without conditions on sizes or alignment. */
static const struct clg_family *const general = &clg_family_direct;

bool clg_choose_among(struct clg_plan *out, const struct clg_problem *problem,
                      const struct clg_facts *facts, const char *why,
                      bool (*accept)(void *user, const struct clg_plan *plan), void *user) {
    struct clg_params ranked[RANKED_MAX];
    if (problem->work != CLG_WORK_MULTIPLY)
        return false;
    for (size_t f = 0; clg_families[f]; f++) {
        const struct clg_family *family = clg_families[f];
        int count = clg_family_parameters(family, problem, facts, &ranked[0]);
        if (count > 0 && family->ranked)
            count = family->ranked(problem, facts, ranked, RANKED_MAX);
        for (int i = 0; i < count; i++) {
            clg_plan_with(out, family, &ranked[i], problem, facts);
            out->why = why;
            if (accept(user, out))
                return true;
        }
    }
    return false;
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
    struct clg_params params;
    for (int i = 0; i < CLG_MATRICES; i++)
        call.operand[i].alignment = (unsigned)clg_type_size(type);
    clgemm_status status = clg_problem_init(&problem, &call);
    if (status || work == CLG_WORK_SCALE)
        return status ? status : clg_choose_plan(out, &problem, facts, NULL);
    if (!clg_family_parameters(general, &problem, facts, &params))
        return clg_fail(CLGEMM_STATUS_UNSUPPORTED, "there is no general kernel for this device");
    clg_plan_with(out, general, &params, &problem, facts);
    return CLGEMM_SUCCESS;
}
