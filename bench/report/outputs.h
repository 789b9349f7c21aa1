/* SPDX-License-Identifier: Apache-2.0
 * The files that a run writes, opened before anything is measured: a path that cannot be written
 * should not cost the user the wait. */
#ifndef BENCH_REPORT_OUTPUTS_H
#define BENCH_REPORT_OUTPUTS_H

#include "bench/report/report.h"

struct outputs {
    FILE *report, *plot, *page; /* NULL: not requested */
};

/* Opens the files that the options name, into zeros. On failure prints a message to stderr and
 * returns false. Release in any case. */
bool outputs_open(struct outputs *outputs, const struct options *options);

/* Writes the report and the page, and closes all files, including the drawing. If something could
 * not be written, prints a message to stderr and returns false. */
bool outputs_write(struct outputs *outputs, const struct options *options, report_writer *write,
                   const void *report);

/* Closes the files that are still open. */
void outputs_release(struct outputs *outputs);

#endif
