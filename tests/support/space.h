/* SPDX-License-Identifier: Apache-2.0
 * Spaces of the tuner for devices that are not there. */
#ifndef CLG_TEST_SPACE_H
#define CLG_TEST_SPACE_H

#include "support/facts.h"
#include "tune/space.h"

/* The space of m x n x k, column-major, not transposed, tightly stored. */
void clg_test_space(struct clg_space *out, const struct clg_facts *facts, int64_t m, int64_t n,
                    int64_t k);

#endif
