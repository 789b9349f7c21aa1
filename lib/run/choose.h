/* SPDX-License-Identifier: Apache-2.0
 * The choice of a plan for a problem: a measured row, else the families' models. Calls no OpenCL.
 */
#ifndef CLG_RUN_CHOOSE_H
#define CLG_RUN_CHOOSE_H

#include "gemm/plan.h"
#include "tuning/table.h"

/* Chooses family and parameters: a row of `tuning` (NULL: there is none), else from shape and
 * facts. Fails where no family can do the problem on this device, with the reasons. */
clgemm_status clg_choose_plan(struct clg_plan *out, const struct clg_problem *problem,
                              const struct clg_facts *facts, const struct clg_tuning *tuning);

/* The `why` of a plan that stands in for another one: while that is built, or as it is wrong. */
extern const char clg_why_interim[], clg_why_others_wrong[];

/* A plan for the problem that `accept` takes, with that `why`: of the first family that has one,
 * the quickest of its rows by its model; of families without a model what they would use. The last
 * family is the general one. False: there is none. */
bool clg_choose_among(struct clg_plan *out, const struct clg_problem *problem,
                      const struct clg_facts *facts, const char *why,
                      bool (*accept)(void *user, const struct clg_plan *plan), void *user);

/* A plan whose programs serve any problem of that type and work, single or a batch; its grid is
 * narrow or wide, for runtimes that compile for either. Fails as clg_choose_plan. */
clgemm_status clg_choose_general(struct clg_plan *out, clgemm_type type, bool batched,
                                 enum clg_work work, bool wide, const struct clg_facts *facts);

#endif
