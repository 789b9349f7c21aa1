/* SPDX-License-Identifier: Apache-2.0
 * Search spaces of the tuner for made-up devices. */
#ifndef CLG_TEST_SPACE_H
#define CLG_TEST_SPACE_H

#include "src/tuner/space.h"
#include "support/facts.h"

/* The space of m x n x k in that type, column-major, not transposed, without gaps. */
void clg_test_space(struct clg_space *out, const struct clg_facts *facts, clgemm_type type,
                    int64_t m, int64_t n, int64_t k);

/* Candidates in the order of the space; free `all`. Padding between their members is 0. */
struct clg_test_candidates {
    struct clg_candidate *all;
    size_t count, room;
};

/* Walks a family's part of the space. The family must accept every candidate. */
struct clg_test_candidates clg_test_space_walk(const struct clg_space *space, int family);

#endif
