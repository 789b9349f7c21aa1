/* SPDX-License-Identifier: Apache-2.0
 * What a reader must know of how figures came about: threads that went on polling, and samples in
 * two heaps. */
#ifndef BENCH_REPORT_NOTES_H
#define BENCH_REPORT_NOTES_H

#include "bench/report/report.h"

/* Adds to the context, in one item for all, that the process did not go quiet after calls of `who`,
 * where `cores` is not 0. */
void note_restless(struct context *context, const char *who, double cores);

/* Below a table of Markdown: that a contender's samples on a problem, "512x512x512 NN, host", fell
 * into two heaps, if they did. `flops` is the work of a call; 0 where a rate says nothing. */
void note_heaps(FILE *out, const char *what, const struct heaps *heaps, double flops);

/* " (1.430)": a figure of the quicker heap beside the median's, appended to a cell where there are
 * two. */
void note_heap_figure(char cell[], size_t room, const struct heaps *heaps, int digits,
                      double figure);

#endif
