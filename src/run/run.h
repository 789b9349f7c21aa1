/* SPDX-License-Identifier: Apache-2.0
 * `clgemm run`: what its files share. */
#ifndef CLGEMM_RUN_RUN_H
#define CLGEMM_RUN_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "blas/summary.h"

/* How the program ended. */
struct run_end {
    int code, signal; /* the second: 0 unless a signal ended it */
};

/* Writes the processes' counts, and how the program ended if not with 0, as JSON or Markdown. */
void run_report(FILE *out, bool json, const struct run_end *end, const struct clg_summary *summary);

#endif
