/* SPDX-License-Identifier: Apache-2.0
 * The choice among families. */
#include "gemm/select.h"

static void insert_measured(struct clg_list *list, int at, struct clg_candidate candidate) {
    candidate.limit = "measured";
    clg_list_insert(list, at, &candidate);
}

static bool is_left_out(const struct clg_family *family, const struct clg_basis *basis,
                        const struct clg_family *only) {
    return (only && family != only) || basis->without & clg_family_bit(family);
}

/* Whether there is a modelled candidate. */
static bool fill(struct clg_list *out, const struct clg_problem *problem,
                 const struct clg_basis *basis, const struct clg_family *only) {
    int strict = 0;
    out->tie = basis->costs->tie;
    out->count = 0;
    for (unsigned f = 0; clg_families[f]; f++)
        if (!is_left_out(clg_families[f], basis, only) &&
            !clg_family_kind_unsupported_reason(clg_families[f], problem, basis->facts))
            clg_families[f]->candidates(problem, basis->facts, basis->costs, out);
    const bool any = out->count > 0;
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
