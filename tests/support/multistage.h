/* SPDX-License-Identifier: Apache-2.0
 * The multistage family's floats on devices without asynchronous copies, where its kernel makes
 * plain ones: the family's predicate is told that the device has them. */
#ifndef CLG_TEST_MULTISTAGE_H
#define CLG_TEST_MULTISTAGE_H

#include "gemm/tiled/tiled.h"

enum { CLG_TEST_MULTISTAGE_ROWS = 5 };

/* Parameters that suit a CPU's compiler and a simulator: one SIMD group, two along either side, two
 * slices of one, and three along M, with fragments of two columns. `cut`: 0 not split along k, 1
 * all tiles, 2 the tail. */
struct clg_params clg_test_multistage_row(int row, int cut);

void clg_test_multistage_allow(struct clg_facts *facts);

#endif
