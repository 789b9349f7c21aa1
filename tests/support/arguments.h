/* SPDX-License-Identifier: Apache-2.0
 * The arguments that a plan pushes, as tests/kernels/arguments.sh compares them with signatures. */
#ifndef CLG_TEST_ARGUMENTS_H
#define CLG_TEST_ARGUMENTS_H

#include <stdio.h>

#include "gemm/plan.h"

/* Prints "source<TAB>int m,float alpha,global a,...<TAB>options" for each step of the plan. */
void clg_test_print_arguments(FILE *file, const struct clg_plan *plan);

#endif
