/* SPDX-License-Identifier: Apache-2.0
 * The list of plans: each family's rows and own choice, each with k split and operands packed. */
#include "bench/candidates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checked.h"
#include "gemm/family.h"
#include "gemm/tiled/tiled.h"
#include "run/choose.h"
#include "tuning/costs.h"

/* With this many work-groups per compute unit, more slices bring no gain. */
enum { ENOUGH_GROUPS = 8, MOST_SLICES = 256 };

static bool same_arg(const struct clg_arg *one, const struct clg_arg *other) {
    if (one->kind != other->kind)
        return false;
    switch (one->kind) {
    case CLG_ARG_LONG:
        return one->l == other->l;
    case CLG_ARG_SCALAR:
        return one->d == other->d;
    case CLG_ARG_INT:
    case CLG_ARG_MATRIX:
    case CLG_ARG_WORKSPACE:
    case CLG_ARG_OFFSET:
    case CLG_ARG_NUMBERS:
        return one->i == other->i;
    default:
        return true;
    }
}

static bool same_step(const struct clg_step *one, const struct clg_step *other) {
    if (strcmp(one->source, other->source) != 0 || strcmp(one->options, other->options) != 0 ||
        one->groups != other->groups || one->group_size != other->group_size ||
        one->num_args != other->num_args)
        return false;
    for (int i = 0; i < one->num_args; i++)
        if (!same_arg(&one->args[i], &other->args[i]))
            return false;
    return true;
}

/* Whether both run the same kernels, whatever parameters led to them. */
static bool same_plan(const struct clg_plan *one, const struct clg_plan *other) {
    if (one->num_steps != other->num_steps)
        return false;
    for (int s = 0; s < one->num_steps; s++)
        if (!same_step(&one->steps[s], &other->steps[s]))
            return false;
    return true;
}

/* Adds an empty plan; NULL if memory is short. */
static struct clg_plan *next_plan(struct candidates *list) {
    if (!clg_array_reserve(&list->plans, &list->room, list->count + 1, sizeof *list->plans))
        return NULL;
    return memset(&list->plans[list->count], 0, sizeof *list->plans);
}

/* What all candidates of one problem share. */
struct search {
    struct candidates *list;
    const struct clg_problem *problem;
    const struct clg_facts *facts;
};

/* Adds the plan, unless the family cannot make it or the list has it. False: out of memory. */
static bool add(const struct search *search, const struct clg_family *family,
                const struct clg_params *params) {
    struct candidates *list = search->list;
    if (clg_family_unsupported_reason(family, search->problem, search->facts, params))
        return true;
    struct clg_plan *plan = next_plan(list);
    if (!plan)
        return false;
    clg_plan_with(plan, family, params, search->problem, search->facts);
    for (size_t i = 0; i < list->count; i++)
        if (same_plan(&list->plans[i], plan))
            return true;
    list->count++;
    return true;
}

static bool add_packings(const struct search *search, const struct clg_family *family,
                         const struct clg_params *params) {
    for (int pack = 0; pack < 4; pack++) {
        struct clg_params packed = *params;
        packed.pack_a = pack & 1;
        packed.pack_b = pack >> 1;
        if (!add(search, family, &packed))
            return false;
    }
    return true;
}

/* Splits k of `tiles` tiles, all of them or the tail, into 2, 3, 4, 6, 8, 12 ... slices, as long as
 * slices are deep and groups are few. */
static bool add_slices(const struct search *search, const struct clg_family *family,
                       const struct clg_params *row, int64_t tiles, bool tail) {
    const int64_t most = ENOUGH_GROUPS * (int64_t)search->facts->compute_units;
    struct clg_params split = *row;
    int slices_before = 1;
    for (int slices = 2; slices <= MOST_SLICES && tiles * slices_before <= most &&
                         search->problem->k >= (int64_t)slices * row->tile_k;) {
        split.split_k = tail ? 0 : slices;
        split.split_tail = tail ? slices : 0;
        if (!add_packings(search, family, &split))
            return false;
        slices_before = slices;
        slices += slices < 4 ? 1 : slices & (slices - 1) ? slices / 3 : slices / 2;
    }
    return true;
}

static bool add_splits(const struct search *search, const struct clg_family *family,
                       const struct clg_params *row) {
    const struct clg_problem *problem = search->problem;
    const int64_t tiles = problem->batch * clg_ceil_div(problem->m, row->tile_m) *
                          clg_ceil_div(problem->n, row->tile_n);
    const struct clg_facts *facts = search->facts;
    struct clg_params whole = *row;
    whole.split_k = whole.split_tail = 0;
    return add_packings(search, family, &whole) && add_slices(search, family, row, tiles, false) &&
           (facts->kind == CLG_DEVICE_CPU || !clg_tiled_leaves_tail(problem, facts, row) ||
            add_slices(search, family, row, tiles % clg_tiled_units(facts), true));
}

/* Adds the family's modelled candidates with all splits and packings, and those of its rows that
 * the model leaves out, since the model is what is judged. A family without candidates may be very
 * slow. */
static bool add_family(const struct search *search, const struct clg_list *list,
                       const struct clg_costs *costs, const struct clg_family *family) {
    const struct clg_cost_rows all = clg_costs_of(costs, family);
    bool added = true, takes = false;
    for (int i = 0; i < list->count && added; i++)
        if (list->at[i].family == family && strcmp(list->at[i].limit, "measured") != 0) {
            takes = true;
            added = add(search, family, &list->at[i].params) &&
                    add_splits(search, family, &list->at[i].params);
        }
    for (size_t i = 0; i < all.count && takes && added; i++)
        added = !(all.rows[i].types >> clg_type_real(search->problem->type) & 1) ||
                add_splits(search, family, &all.rows[i].params);
    return added;
}

bool candidates_make(struct candidates *list, const struct clg_problem *problem,
                     const struct clg_facts *facts, const struct clg_tuning *tuning,
                     unsigned families, char *why, size_t size) {
    const struct search search = {list, problem, facts};
    struct clg_list all;
    struct clg_costs room;
    const struct clg_costs *costs = clg_costs_in_force(tuning, facts, &room);
    *list = (struct candidates){0};
    struct clg_plan *chosen = next_plan(list);
    bool added = chosen != NULL;
    if (added && clg_choose_plan(chosen, problem, facts, tuning)) {
        snprintf(why, size, "%s", clgemm_last_error());
        return false;
    }
    list->count = added;
    clg_choose_list(&all, problem, facts, tuning, 0);
    for (size_t i = 0; clg_families[i] && added; i++)
        if (!families || families >> i & 1)
            added = add_family(&search, &all, costs, clg_families[i]);
    if (!added)
        snprintf(why, size, "out of memory for the list of candidates");
    return added;
}

bool candidates_trial(struct clg_plan *out, const struct clg_plan *plan,
                      const struct clg_problem *shallow, const struct clg_facts *facts) {
    struct clg_params params = plan->params;
    params.split_k = params.split_tail = 0;
    if (clg_family_unsupported_reason(plan->family, shallow, facts, &params))
        return false;
    clg_plan_with(out, plan->family, &params, shallow, facts);
    return true;
}

void candidates_release(struct candidates *list) {
    free(list->plans);
    *list = (struct candidates){0};
}
