/* SPDX-License-Identifier: Apache-2.0
 * Costs of a device that nobody has measured, computed from its facts. */
#ifndef CLG_GEMM_ESTIMATE_H
#define CLG_GEMM_ESTIMATE_H

#include "device/facts.h"
#include "gemm/costs.h"

/* Replaces the costs of another GPU, whose rows and figures they are, by those of this one. Rows
 * that need more registers or local memory than it has are left out. */
void clg_costs_estimate(struct clg_costs *costs, const struct clg_facts *facts);

/* 32-bit registers of a work-item with a row of tiled or multistage, as compilers need them for
 * sums of `words` registers each. */
double clg_estimated_registers(const struct clg_cost_row *row, const struct clg_facts *facts,
                               int words);

#endif
