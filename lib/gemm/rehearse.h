/* SPDX-License-Identifier: Apache-2.0
 * Running a plan's programs once, small, where a build alone does not make them ready. */
#ifndef CLG_GEMM_REHEARSE_H
#define CLG_GEMM_REHEARSE_H

#include "gemm/plan.h"
#include "program/programs.h"

/* On a runtime that compiles at the first launch (see program/programs.h), runs the plan of this
 * problem on a few tiles of matrices of its own; elsewhere does nothing. The problem must be one
 * on the device, as clgemm_sgemm() has it there. */
clgemm_status clg_rehearse(struct clg_programs *programs, const struct clg_plan *plan,
                           const struct clg_problem *problem);

#endif
