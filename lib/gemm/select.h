/* SPDX-License-Identifier: Apache-2.0
 * The choice: all ways to compute a problem in one list, the fastest first. Calls, substitutes for
 * wrong or unbuilt programs, warm-ups, the tuner and `clgemm inspect` all take theirs from it. */
#ifndef CLG_GEMM_SELECT_H
#define CLG_GEMM_SELECT_H

#include "gemm/family.h"

/* What the list depends on besides the problem. */
struct clg_basis {
    const struct clg_facts *facts;
    const struct clg_costs *costs;
    /* Measured for such a problem: in its mode, and in strict mode. A family of NULL: nothing. The
     * first stands before all modelled candidates, since models and measurements are not
     * comparable; the second before the strict ones. */
    struct clg_candidate measured, measured_strict;
    unsigned without; /* the families of these bits (clg_family_bit) are left out */
};

/* Adds the family's candidates for the problem, as it is posed to that family (gemm/complex.h). */
void clg_family_candidates(struct clg_list *list, const struct clg_family *family,
                           const struct clg_problem *problem, const struct clg_facts *facts,
                           const struct clg_costs *costs);

/* Fills the list with what can compute the CLG_WORK_MULTIPLY problem. A mode is a permission, so
 * strict candidates are always in it. If an operand is packed already, the families are that which
 * packed it, if it can compute the problem at all. */
void clg_select(struct clg_list *out, const struct clg_problem *problem,
                const struct clg_basis *basis);

#endif
