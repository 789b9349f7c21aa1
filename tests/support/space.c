/* SPDX-License-Identifier: Apache-2.0
 * Spaces of the tuner for devices that are not there. */
#include "support/space.h"

#include "support/check.h"

static struct clg_operand operand(int64_t ld, int64_t columns) {
    return (struct clg_operand){
        .ld = ld, .bytes = (uint64_t)(ld * columns) * sizeof(float), .alignment = 64};
}

void clg_test_space(struct clg_space *out, const struct clg_facts *facts, int64_t m, int64_t n,
                    int64_t k) {
    const struct clg_call call = {.layout = CLGEMM_COL_MAJOR,
                                  .ta = CLGEMM_NO_TRANS,
                                  .tb = CLGEMM_NO_TRANS,
                                  .m = m,
                                  .n = n,
                                  .k = k,
                                  .scalars = {.alpha = 1},
                                  .operand = {operand(m, k), operand(k, n), operand(m, n)}};
    struct clg_problem problem;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    clg_space_init(out, &problem, facts);
}
