/* SPDX-License-Identifier: Apache-2.0
 * Reads files of costs (gemm/costs.h). The library contains those of kernels/costs. */
#ifndef CLG_TUNING_COSTS_H
#define CLG_TUNING_COSTS_H

#include "device/facts.h"
#include "gemm/costs.h"

/* The costs in the library for a device of that kind. They live as long as the process. */
const struct clg_costs *clg_costs_for(const struct clg_facts *facts);

/* Reads a file of costs: a head with the figures, a line for each row, and the end ]}. A damaged
 * row is left out, logged, and counted in *faults. False if the rest is damaged, or of another
 * schema; the reason is logged. */
bool clg_costs_read(struct clg_costs *out, const char *name, const char *text, size_t size,
                    size_t *faults);

#endif
