/* SPDX-License-Identifier: Apache-2.0
 * What --regret compiles: the programs of all candidates of all problems, before the first one is
 * timed, by as many processes as the machine has cores for. */
#ifndef BENCH_REGRET_BUILD_H
#define BENCH_REGRET_BUILD_H

#include "bench/device.h"
#include "bench/report/report.h"

/* The problem as the library sees it, and the same at small depth for trials. */
clgemm_status regret_describe(const struct problem *problem, struct clg_problem *whole,
                              struct clg_problem *shallow);

/* Builds them into the program cache, and says so in the context. True: programs that are missing
 * afterwards could not be built. False if there is no cache to keep them, or no process can use the
 * device; then a program is built when it is needed. */
bool regret_build(struct device *device, const struct options *options, struct context *context);

/* The whole of such a process; returns its exit code. */
int regret_build_child(const struct options *options);

#endif
