/* SPDX-License-Identifier: Apache-2.0
 * The thin family's parts: products of a large matrix and a few vectors (kernels/thin.cl). */
#ifndef CLG_GEMM_THIN_H
#define CLG_GEMM_THIN_H

#include "gemm/family.h"

/* Which operand of a problem is wide and which is thin: the wide one lies along the tile's longer
 * side. */
struct clg_thin_sides {
    enum clg_matrix_index wide, thin;
    bool along_k, thin_along_k; /* whether their columns run along k */
    int vec;                    /* width of the vectors in which the wide one is read */
    int64_t outer, few;         /* the long and the short side of C, */
    int outer_tile, few_tile;   /* and of a work-group's tile */
    int items;                  /* work-items along the outer side */
};

struct clg_thin_sides clg_thin_sides_of(const struct clg_problem *problem,
                                        const struct clg_params *p);

/* Steps along k that a group takes at a time. */
static inline int64_t clg_thin_steps(const struct clg_params *p) {
    return (int64_t)p->wg_k * p->unroll_k;
}

/* The family's predicate and candidates (gemm/family.h). */
const char *clg_thin_unsupported_reason(const struct clg_problem *problem,
                                        const struct clg_facts *facts, const struct clg_params *p);
void clg_thin_candidates(const struct clg_problem *problem, const struct clg_facts *facts,
                         const struct clg_costs *costs, struct clg_list *list);

#endif
