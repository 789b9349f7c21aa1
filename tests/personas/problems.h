/* SPDX-License-Identifier: Apache-2.0
 * Drawn problems of all real or all complex types, modes, transposes, alignments and batches, for
 * choices without a device. */
#ifndef CLG_TESTS_PERSONAS_PROBLEMS_H
#define CLG_TESTS_PERSONAS_PROBLEMS_H

#include "gemm/problem.h"
#include "support/random.h"

struct clg_problem persona_draw_problem(struct clg_test_random *random, bool complex);

#endif
