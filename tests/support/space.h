/* SPDX-License-Identifier: Apache-2.0
 * Spaces of the tuner for devices that are not there. */
#ifndef CLG_TEST_SPACE_H
#define CLG_TEST_SPACE_H

#include "support/facts.h"
#include "tune/space.h"

/* The space of m x n x k in that type, column-major, not transposed, tightly stored. */
void clg_test_space(struct clg_space *out, const struct clg_facts *facts, clgemm_type type,
                    int64_t m, int64_t n, int64_t k);

/* Candidates in the order of the space; free `all`. What is between their members is 0. */
struct clg_test_candidates {
    struct clg_candidate *all;
    size_t count, room;
};

/* Walks a family's part of the space; every candidate must be one that the family takes. */
struct clg_test_candidates clg_test_space_walk(const struct clg_space *space, int family);

#endif
