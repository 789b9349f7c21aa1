/* SPDX-License-Identifier: Apache-2.0
 * The files that a run writes, opened before anything is measured: a path that cannot be written
 * should not cost the user the wait. */
#ifndef BENCH_REPORT_OUTPUTS_H
#define BENCH_REPORT_OUTPUTS_H

#include "bench/report/report.h"

struct outputs {
    FILE *report, *plot, *page; /* NULL: not asked for */
};

/* Opens what the options name, into zeros; false, having said so on stderr, where that fails.
 * Release in any case. */
bool outputs_open(struct outputs *outputs, const struct options *options);

/* Writes the report and the page, and closes all, the drawing with what the caller drew. False,
 * having said so on stderr, where something could not be written. */
bool outputs_write(struct outputs *outputs, const struct options *options, report_writer *write,
                   const void *report);

/* Closes what is still open. */
void outputs_release(struct outputs *outputs);

#endif
