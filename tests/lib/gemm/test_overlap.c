/* SPDX-License-Identifier: Apache-2.0
 * Batches whose C overlap are refused, and no others, at any size. No device is needed. */
#include <stdlib.h>
#include <string.h>

#include "gemm/problem.h"
#include "support/check.h"
#include "support/random.h"

/* C of m x n, column-major, of a batch. */
static clgemm_status status_of(int64_t m, int64_t n, int64_t ld, int64_t stride, int64_t batch) {
    const struct clg_operand any = {.ld = INT64_MAX, .bytes = UINT64_MAX, .alignment = 4};
    struct clg_call call = {.type = CLGEMM_F16,
                            .layout = CLGEMM_COL_MAJOR,
                            .ta = CLGEMM_NO_TRANS,
                            .tb = CLGEMM_NO_TRANS,
                            .m = m,
                            .n = n,
                            .batch = batch,
                            .scalars = {.alpha = 0},
                            .operand = {any, any, any}};
    struct clg_problem problem;
    call.operand[CLG_C].ld = ld;
    call.operand[CLG_C].stride = stride;
    return clg_problem_init(&problem, &call);
}

/* By comparing all elements. */
static bool overlap(int m, int n, int ld, int stride, int batch) {
    static unsigned char seen[1 << 16];
    bool twice = false;
    memset(seen, 0, sizeof seen);
    for (int z = 0; z < batch; z++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                twice |= seen[z * stride + j * ld + i]++ > 0;
    return twice;
}

static void small_ones_are_those_with_an_element_in_common(void **state) {
    struct clg_test_random random = clg_test_random_start(1);
    int refused = 0;
    enum { TURNS = 60000 };
    (void)state;
    for (int turn = 0; turn < TURNS; turn++) {
        const int m = (int)clg_test_range(&random, 1, 5), n = (int)clg_test_range(&random, 1, 9);
        const int ld = m + (int)clg_test_range(&random, 0, 40);
        const int stride = (int)clg_test_range(&random, 0, 2 * (int64_t)ld);
        const int batch = (int)clg_test_range(&random, 2, 40);
        const bool wrong = overlap(m, n, ld, stride, batch);
        const clgemm_status status = status_of(m, n, ld, stride, batch);
        if (status != (wrong ? CLGEMM_STATUS_INVALID_DESC : CLGEMM_SUCCESS))
            fail_msg("%d x %d, ld %d, stride %d, batch %d: status %d", m, n, ld, stride, batch,
                     (int)status);
        refused += wrong;
    }
    assert_true(refused > TURNS / 10 && refused < TURNS * 9 / 10);
}

/* The time does not grow with the number of products, and distances do not overflow 64 bits. */
static void large_ones_are_judged_at_once(void **state) {
    const int64_t large = INT64_C(1) << 40, row = INT64_C(1) << 20;
    (void)state;
    clg_test_assert_success(status_of(1, row, large, row + 1, large - 1));
    clg_test_assert_status(status_of(1, row + 2, large, row + 1, large + 1),
                           CLGEMM_STATUS_INVALID_DESC);
    clg_test_assert_status(status_of(2, row, large, row + 1, large - 1),
                           CLGEMM_STATUS_INVALID_DESC);
    clg_test_assert_status(status_of(1, 2, INT64_MAX - 1, INT64_MAX - 2, 3),
                           CLGEMM_STATUS_SIZE_OVERFLOW);
    clg_test_assert_status(status_of(INT64_MAX / 2, 2, INT64_MAX / 2 + 1, 7, 3),
                           CLGEMM_STATUS_INVALID_DESC);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_ones_are_those_with_an_element_in_common),
        cmocka_unit_test(large_ones_are_judged_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
