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

/* Fills the list, first what a call would take with that tuning table. False with a reason where
 * the library has no plan or memory is short. Release in any case. */
bool candidates_make(struct candidates *list, const struct clg_problem *problem,
                     const struct clg_facts *facts, const struct clg_tuning *tuning, char *why,
                     size_t size);
void candidates_release(struct candidates *list);

#endif
