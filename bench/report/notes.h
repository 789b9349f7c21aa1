/* SPDX-License-Identifier: Apache-2.0
 * What a reader must know about figures: threads that went on polling, and samples in two heaps. */
#ifndef BENCH_REPORT_NOTES_H
#define BENCH_REPORT_NOTES_H

#include "bench/report/report.h"

/* Adds to the context that the process did not become quiet after calls of `who`, if `cores` is not
 * 0. All such remarks are one item. */
void note_restless(struct context *context, const char *who, double cores);

/* Below a table of Markdown: says that a contender's samples on a problem, "512x512x512 NN, host",
 * fell into two heaps, if they did. `flops` is the work of a call; 0 if a rate has no meaning. */
void note_heaps(FILE *out, const char *what, const struct heaps *heaps, double flops);

/* " (1.430)": appends the faster heap's figure to a cell with the median, if there are two
 * heaps. */
void note_heap_figure(char cell[], size_t room, const struct heaps *heaps, int digits,
                      double figure);

#endif
