/* SPDX-License-Identifier: Apache-2.0
 * Runs the whole comparison once for each of OpenBLAS's core types. OpenBLAS chooses its core type
 * when it is loaded, so each has a process of its own. */
#ifndef BENCH_CORETYPE_H
#define BENCH_CORETYPE_H

#include "bench/report/report.h"

/* Number of blocks of results: one or, with --coretype, one for each core type and one for the
 * best. */
size_t coretype_blocks(const struct options *options);

/* Fills `results`, block by block, with `problems` in each, and adds each process's OpenBLAS to the
 * context. */
void coretype_measure(struct result *results, size_t problems, const struct options *options,
                      struct context *context);

/* In such a process: measures with these contenders, and answers. Returns the exit code. */
int coretype_answer(const struct result *results, size_t problems,
                    const struct contender contenders[CONTENDERS]);

/* Closes OpenBLAS, with the reason, if it chose another core type than requested. */
void coretype_check(struct contender *openblas);

#endif
