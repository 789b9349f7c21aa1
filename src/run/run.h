/* SPDX-License-Identifier: Apache-2.0
 * `clgemm run`: what its files share. */
#ifndef CLGEMM_RUN_RUN_H
#define CLGEMM_RUN_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "blas/summary.h"

/* Writes the processes' counts, as JSON or Markdown. */
void run_report(FILE *out, bool json, const struct clg_summary *summary);

#endif
