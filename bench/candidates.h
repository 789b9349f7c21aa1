/* SPDX-License-Identifier: Apache-2.0
 * Every way in which the library could do a problem with its built-in parameters. */
#ifndef BENCH_CANDIDATES_H
#define BENCH_CANDIDATES_H

#include "gemm/plan.h"
#include "tuning/table.h"

/* Plans, all different; the first is the library's own choice. All zero is an empty list. */
struct candidates {
    struct clg_plan *plans;
    size_t count, room;
};

/* Fills the list, first what a call would take with that tuning table; of the others those of
 * families whose bit (their index in clg_families) is set, or all if none is. False with a reason
 * where the library has no plan or memory is short. Release in any case. */
bool candidates_make(struct candidates *list, const struct clg_problem *problem,
                     const struct clg_facts *facts, const struct clg_tuning *tuning,
                     unsigned families, char *why, size_t size);

/* The plan by which a trial at little depth foretells the time of one of them. False where the
 * family has none. */
bool candidates_trial(struct clg_plan *out, const struct clg_plan *plan,
                      const struct clg_problem *shallow, const struct clg_facts *facts);

/* The depth of trials, and the least of problems that are worth one. */
enum { TRIAL_DEPTH = 64, TRIAL_WORTHWHILE = 4 * TRIAL_DEPTH };

void candidates_release(struct candidates *list);

#endif
