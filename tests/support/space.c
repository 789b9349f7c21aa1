/* SPDX-License-Identifier: Apache-2.0
 * Search spaces of the tuner for made-up devices. */
#include "support/space.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"

static struct clg_operand operand(clgemm_type type, int64_t ld, int64_t columns) {
    return (struct clg_operand){
        .ld = ld, .bytes = (uint64_t)(ld * columns) * clg_type_size(type), .alignment = 64};
}

void clg_test_space(struct clg_space *out, const struct clg_facts *facts, clgemm_type type,
                    int64_t m, int64_t n, int64_t k) {
    const struct clg_call call = {
        .type = type,
        .layout = CLGEMM_COL_MAJOR,
        .ta = CLGEMM_NO_TRANS,
        .tb = CLGEMM_NO_TRANS,
        .m = m,
        .n = n,
        .k = k,
        .scalars = {.alpha = 1},
        .operand = {operand(type, m, k), operand(type, k, n), operand(type, m, n)}};
    struct clg_problem problem;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    clg_space_init(out, &problem, facts);
}

static void add(struct clg_test_candidates *found, const struct clg_candidate *candidate) {
    if (found->count == found->room) {
        found->room = found->room ? 2 * found->room : 1024;
        found->all = realloc(found->all, found->room * sizeof *found->all);
        assert_non_null(found->all);
    }
    memset(&found->all[found->count], 0, sizeof *found->all);
    found->all[found->count].family = candidate->family;
    found->all[found->count++].params = candidate->params;
}

struct clg_test_candidates clg_test_space_walk(const struct clg_space *space, int family) {
    struct clg_test_candidates found = {0};
    struct clg_point point;
    struct clg_candidate candidate;
    for (bool more = clg_space_first(space, family, &point); more;
         more = clg_space_next(space, &point)) {
        assert_int_equal(point.family, family);
        assert_true(clg_space_at(space, &point, &candidate));
        assert_ptr_equal(candidate.family, space->families[family]);
        assert_null(candidate.family->unsupported_reason(&space->problem, &space->facts,
                                                         &candidate.params));
        add(&found, &candidate);
    }
    return found;
}
