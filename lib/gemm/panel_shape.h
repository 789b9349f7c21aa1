/* SPDX-License-Identifier: Apache-2.0
 * The panel family's choice of panels and tiles for a problem. */
#ifndef CLG_GEMM_PANEL_SHAPE_H
#define CLG_GEMM_PANEL_SHAPE_H

#include "device/facts.h"
#include "gemm/params.h"
#include "gemm/problem.h"

/* False where another family is the better choice: on other devices than CPUs, without a fast fma,
 * and for what is too small. */
bool clg_panel_shape(const struct clg_problem *problem, const struct clg_facts *facts,
                     struct clg_params *out);

#endif
