/* SPDX-License-Identifier: Apache-2.0
 * All ways in which the library could compute a problem with its built-in parameters. */
#ifndef BENCH_CANDIDATES_H
#define BENCH_CANDIDATES_H

#include "gemm/plan.h"
#include "tuning/table.h"

/* Distinct plans; the first is the library's own choice. All zero is an empty list. */
struct candidates {
    struct clg_plan *plans;
    size_t count, room;
};

/* Fills the list: first what a call would use with that tuning table, then the plans of the
 * families whose bit (their index in clg_families) is set, or of all families if none is. Returns
 * false with a reason if the library has no plan or memory is short. Release in any case. */
bool candidates_make(struct candidates *list, const struct clg_problem *problem,
                     const struct clg_facts *facts, const struct clg_tuning *tuning,
                     unsigned families, char *why, size_t size);

/* The plan for a trial at small depth, which predicts the time of `plan`. False if the family has
 * none. */
bool candidates_trial(struct clg_plan *out, const struct clg_plan *plan,
                      const struct clg_problem *shallow, const struct clg_facts *facts);

/* The depth of trials, and the least depth of problems that are worth one. */
enum { TRIAL_DEPTH = 64, TRIAL_WORTHWHILE = 4 * TRIAL_DEPTH };

void candidates_release(struct candidates *list);

#endif
