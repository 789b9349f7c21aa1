/* SPDX-License-Identifier: Apache-2.0
 * The whole comparison once for each of OpenBLAS's core types, which it chooses when it is loaded:
 * so each in a process of its own. */
#ifndef BENCH_CORETYPE_H
#define BENCH_CORETYPE_H

#include "bench/report/report.h"

/* Blocks of results that the options ask for: one, or with --coretype one for each core type and
 * one of the best. */
size_t coretype_blocks(const struct options *options);

/* Fills `results`, block by block, `problems` in each, and adds each process's OpenBLAS to the
 * context. */
void coretype_measure(struct result *results, size_t problems, const struct options *options,
                      struct context *context);

/* In such a process: measures with these contenders, and answers. Returns the exit code. */
int coretype_answer(const struct result *results, size_t problems,
                    const struct contender contenders[CONTENDERS]);

/* Shuts OpenBLAS, with the reason, where it took another core type than was asked for. */
void coretype_check(struct contender *openblas);

#endif
