/* SPDX-License-Identifier: Apache-2.0
 * What others ask of the thin family. */
#ifndef CLG_GEMM_THIN_H
#define CLG_GEMM_THIN_H

#include "gemm/family.h"

/* Modelled microseconds of the problem by the parameters that the family chooses; HUGE_VAL if it
 * chooses none. */
double clg_thin_us(const struct clg_problem *problem, const struct clg_facts *facts);

#endif
