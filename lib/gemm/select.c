/* SPDX-License-Identifier: Apache-2.0
 * The choice among families. */
#include "gemm/select.h"

#include <string.h>

#include "gemm/complex.h"
#include "gemm/tiled/tiled.h"

static void insert_measured(struct clg_list *list, int at, struct clg_candidate candidate) {
    candidate.limit = "measured";
    clg_list_insert(list, at, &candidate);
}

static bool is_left_out(const struct clg_family *family, const struct clg_basis *basis,
                        const struct clg_family *only) {
    return (only && family != only) || basis->without & clg_family_bit(family);
}

/* Microseconds of the steps that pose a product as a real one. */
static double us_of_posing(const struct clg_posed *posed, const struct clg_costs *costs) {
    const double rate = costs->copy_rate * (double)clg_tiled_units(posed->facts);
    return posed->steps ? posed->steps * costs->launch_us + posed->moved / rate : 0;
}

void clg_family_candidates(struct clg_list *list, const struct clg_family *family,
                           const struct clg_problem *problem, const struct clg_facts *facts,
                           const struct clg_costs *costs) {
    struct clg_posed posed;
    if (clg_family_kind_unsupported_reason(family, problem, facts))
        return;
    clg_family_pose(&posed, family, problem, facts);
    list->before_us = us_of_posing(&posed, costs);
    list->again = (double)(clg_slabs(problem->n, posed.slab, posed.apart) - 1);
    if (!posed.unsupported_reason)
        family->candidates(posed.problem, posed.facts, costs, list);
}

/* Puts the variant that the call's products share before the others. */
static void prefer(struct clg_list *list, const struct clg_variant *common) {
    const int at = common->family ? clg_list_find(list, common) : list->count;
    if (at == list->count)
        return;
    const struct clg_candidate preferred = list->at[at];
    memmove(&list->at[1], &list->at[0], (size_t)at * sizeof list->at[0]);
    list->at[0] = preferred;
}

/* Whether there is a modelled candidate. */
static bool fill(struct clg_list *out, const struct clg_problem *problem,
                 const struct clg_basis *basis, const struct clg_family *only) {
    int strict = 0;
    out->tie = basis->costs->tie;
    out->count = 0;
    for (unsigned f = 0; clg_families[f]; f++)
        if (!is_left_out(clg_families[f], basis, only))
            clg_family_candidates(out, clg_families[f], problem, basis->facts, basis->costs);
    const bool any = out->count > 0;
    prefer(out, &problem->common);
    while (strict < out->count && !out->at[strict].family->strict)
        strict++;
    if (basis->measured_strict.family && !is_left_out(basis->measured_strict.family, basis, only))
        insert_measured(out, strict, basis->measured_strict);
    if (basis->measured.family && !is_left_out(basis->measured.family, basis, only))
        insert_measured(out, 0, basis->measured);
    return any;
}

void clg_select(struct clg_list *out, const struct clg_problem *problem,
                const struct clg_basis *basis) {
    if (!problem->ahead.family || !fill(out, problem, basis, problem->ahead.family))
        fill(out, problem, basis, NULL);
}
