/* SPDX-License-Identifier: Apache-2.0
 * Chooses a plan for a problem: from a measured row, else from the families' models. Calls no
 * OpenCL function. */
#ifndef CLG_RUN_CHOOSE_H
#define CLG_RUN_CHOOSE_H

#include "gemm/plan.h"
#include "gemm/select.h"
#include "tuning/table.h"

/* All candidates for the problem, the fastest first, without the families of these bits
 * (clg_family_bit). */
void clg_choose_list(struct clg_list *out, const struct clg_problem *problem,
                     const struct clg_facts *facts, const struct clg_tuning *tuning,
                     unsigned left_out);

/* Chooses family and parameters: from a row of `tuning` (NULL: there is none), else from shape and
 * facts. If no family can compute the problem on this device, fails with the reasons. */
clgemm_status clg_choose_plan(struct clg_plan *out, const struct clg_problem *problem,
                              const struct clg_facts *facts, const struct clg_tuning *tuning);

/* The same without the families of these bits (clg_family_bit). *list gets all candidates, the
 * chosen one first; none if nothing is multiplied. */
clgemm_status clg_choose_without(struct clg_plan *out, struct clg_list *list, unsigned left_out,
                                 const struct clg_problem *problem, const struct clg_facts *facts,
                                 const struct clg_tuning *tuning);

/* The `why` of a plan with a measured row; and of one that replaces another plan, while that is
 * being built, because it is wrong, or because it spills. */
extern const char clg_why_tuned[], clg_why_interim[], clg_why_others_wrong[],
    clg_why_others_spill[];

/* The plan with the first candidate of the list, measured rows left out, that `accept` accepts, and
 * with that `why`. False if there is none. */
bool clg_choose_among(struct clg_plan *out, const struct clg_list *list,
                      const struct clg_problem *problem, const struct clg_facts *facts,
                      const char *why, bool (*accept)(void *user, const struct clg_plan *plan),
                      void *user);

/* Whether the costs that candidates' times are from were measured on devices of that class. */
bool clg_choose_by_measurements(const struct clg_facts *facts, const struct clg_tuning *tuning);

/* A plan whose programs can compute any problem of that type and work, single or batched. Its grid
 * is narrow or wide, for runtimes that compile separately for each. Fails as clg_choose_plan. */
clgemm_status clg_choose_general(struct clg_plan *out, clgemm_type type, bool batched,
                                 enum clg_work work, bool wide, const struct clg_facts *facts);

#endif
