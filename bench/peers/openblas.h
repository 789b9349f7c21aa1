/* SPDX-License-Identifier: Apache-2.0
 * OpenBLAS's product, for the contender and for the judge. */
#ifndef BENCH_PEERS_OPENBLAS_H
#define BENCH_PEERS_OPENBLAS_H

#include "bench/problem.h"

/* Whether the problem's sizes fit its integers. */
bool openblas_takes(const struct problem *problem);

/* C := alpha * op(A) * op(B) + beta * C in the problem's type, for each product. */
void openblas_multiply(const struct problem *problem, void *c);

#endif
