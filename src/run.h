/* SPDX-License-Identifier: Apache-2.0
 * `clgemm run`: what its files share. */
#ifndef CLGEMM_RUN_H
#define CLGEMM_RUN_H

#include "blas/summary.h"
#include "output.h"

/* Says what the processes counted: to the output's file, else on stderr. Returns an exit code. */
int run_report(const struct output *output, const char *command, const struct clg_summary *summary);

#endif
