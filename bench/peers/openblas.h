/* SPDX-License-Identifier: Apache-2.0
 * OpenBLAS's routines, for the contender and for the judge. */
#ifndef BENCH_PEERS_OPENBLAS_H
#define BENCH_PEERS_OPENBLAS_H

#include "bench/problem.h"

/* Whether the problem's sizes fit its integers. */
bool openblas_takes(const struct problem *problem);

/* The problem's routine, by a call for each product. */
void openblas_run(const struct problem *problem, void *c);

#endif
