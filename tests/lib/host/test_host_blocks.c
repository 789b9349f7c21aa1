/* SPDX-License-Identifier: Apache-2.0
 * Host problems in blocks: their copies fit, together they are the problem, and what fits is not
 * split. No device is needed. */
#include <string.h>

#include "host/buffers.h"
#include "support/check.h"

static float memory[1 << 16]; /* only its address counts, except in the_blocks_are_the_product */

static const struct clg_host_matrices places = {{memory, memory, memory}};

static struct clg_problem problem_of(int64_t m, int64_t n, int64_t k, bool ta, bool tb,
                                     double alpha) {
    const struct clg_operand host = {.bytes = UINT64_MAX, .alignment = 64};
    struct clg_call call = {.layout = CLGEMM_COL_MAJOR,
                            .ta = ta ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                            .tb = tb ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                            .m = m,
                            .n = n,
                            .k = k,
                            .scalars = {alpha, 0.5F},
                            .operand = {host, host, host}};
    call.operand[CLG_A].ld = (ta ? k : m) + 1;
    call.operand[CLG_B].ld = (tb ? n : k) + 2;
    call.operand[CLG_C].ld = m + 3;
    struct clg_problem problem;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    return problem;
}

static struct clg_facts facts_of(uint64_t workspace_max, uint64_t max_allocation) {
    return (struct clg_facts){.workspace_max = workspace_max, .max_allocation = max_allocation};
}

static const struct clg_scalars factors = {2, 0.5};

static struct clg_host_blocks choose_at(const struct clg_problem *problem,
                                        const struct clg_host_matrices *host, bool share,
                                        const struct clg_facts *facts) {
    struct clg_host_layout layout;
    clg_test_assert_success(
        clg_host_layout_make(&layout, problem, host, share, facts->max_allocation));
    return clg_host_blocks_choose(problem, &layout, facts);
}

static struct clg_host_blocks choose(const struct clg_problem *problem,
                                     const struct clg_facts *facts) {
    const struct clg_host_blocks blocks = choose_at(problem, &places, false, facts);
    const bool whole = blocks.m == problem->m && blocks.n == problem->n && blocks.k == problem->k;
    assert_int_equal(clg_host_blocks_are_whole(&blocks, problem), whole);
    return blocks;
}

static uint64_t copy_bytes(const struct clg_matrix *matrix) {
    return (uint64_t)(clg_host_dense_ld(CLGEMM_F32, matrix->rows) * matrix->cols) * sizeof(float);
}

static void what_fits_is_one_block(void **state) {
    (void)state;
    const struct clg_problem problem = problem_of(100, 200, 300, false, true, 1);
    const uint64_t bytes = UINT64_C(4) * (100 * 300 + 200 * 300 + 100 * 200);
    struct clg_facts facts = facts_of((bytes * 4 + 2) / 3, UINT64_C(1) << 40);
    struct clg_host_blocks blocks = choose(&problem, &facts);
    assert_true(blocks.m == 100 && blocks.n == 200 && blocks.k == 300);
    facts.workspace_max -= 4;
    blocks = choose(&problem, &facts);
    assert_true(blocks.m == 100 && blocks.n == 200 && blocks.k == 192);
    facts = facts_of(UINT64_C(1) << 40, UINT64_C(4) * 200 * 300 - 1); /* B is too large */
    blocks = choose(&problem, &facts);
    assert_true(blocks.k < 300);
}

/* In place nothing is copied, so nothing need be split. */
static void what_is_in_place_is_one_block(void **state) {
    (void)state;
    const struct clg_host_matrices apart = {{memory, memory + 20000, memory + 40000}};
    struct clg_problem problem = problem_of(100, 90, 80, false, false, 1);
    const struct clg_facts facts = facts_of(1 << 10, UINT64_C(1) << 40);
    problem.matrix[CLG_C].ld = 100;
    struct clg_host_blocks blocks = choose_at(&problem, &apart, true, &facts);
    assert_true(blocks.m == 100 && blocks.n == 90 && blocks.k == 80);
    problem.matrix[CLG_C].ld = 103; /* C with gaps is copied */
    blocks = choose_at(&problem, &apart, true, &facts);
    assert_true(blocks.m < 100 && blocks.n < 90 && blocks.k < 80);
}

static void copies_of_blocks_fit(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 63, 64, 65, 500, 4097, 100000};
    static const uint64_t bounds[] = {64 << 10, 1 << 20, 77777776, UINT64_C(1) << 33};
    const size_t count = sizeof sizes / sizeof sizes[0];
    for (size_t i = 0; i < count * count * count * 4; i++) {
        const struct clg_problem problem =
            problem_of(sizes[i / 4 % count], sizes[i / 4 / count % count],
                       sizes[i / 4 / count / count], i & 1, i & 2, 1);
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
            const struct clg_facts facts = facts_of(bounds[b], bounds[b] / 4);
            const struct clg_host_blocks blocks = choose(&problem, &facts);
            struct clg_problem block;
            struct clg_scalars scalars;
            struct clg_host_matrices at;
            clg_host_block(&blocks, &problem, &factors, &places,
                           (struct clg_host_origin){0, 0, 0, 0}, &block, &scalars, &at);
            const uint64_t all = copy_bytes(&block.matrix[CLG_A]) +
                                 copy_bytes(&block.matrix[CLG_B]) +
                                 copy_bytes(&block.matrix[CLG_C]);
            assert_true(all <= bounds[b] / 4 * 3);
            assert_true(copy_bytes(&block.matrix[CLG_A]) <= bounds[b] / 4);
            assert_true(blocks.m == problem.m || blocks.m % CLG_BLOCK_SIDE == 0);
            assert_true(blocks.n == problem.n || blocks.n % CLG_BLOCK_SIDE == 0);
            assert_true(blocks.k == problem.k || blocks.k % CLG_BLOCK_SIDE == 0);
        }
    }
}

/* Below what the smallest blocks need, these run. */
static void no_bound_is_too_small(void **state) {
    (void)state;
    const struct clg_facts facts = facts_of(0, 0);
    struct clg_problem problem = problem_of(1000, 70, 1 << 20, true, false, 1);
    struct clg_host_blocks blocks = choose(&problem, &facts);
    assert_true(blocks.m == 64 && blocks.n == 64 && blocks.k == 64);
    problem = problem_of(1000, 70, 1 << 20, true, false, 0); /* only C counts */
    blocks = choose(&problem, &facts);
    assert_true(blocks.m == 64 && blocks.n == 64 && blocks.k == problem.k);
}

/* op(matrix)(i, j) */
static float element(const struct clg_matrix *matrix, const float *from, int64_t i, int64_t j) {
    return from[matrix->transposed ? j + i * matrix->ld : i + j * matrix->ld];
}

static void multiply(const struct clg_problem *p, const struct clg_scalars *scalars,
                     const struct clg_host_matrices *host) {
    assert_true((p->matrix[CLG_A].transposed ? p->matrix[CLG_A].rows : p->matrix[CLG_A].cols) ==
                p->k);
    assert_true((p->matrix[CLG_B].transposed ? p->matrix[CLG_B].cols : p->matrix[CLG_B].rows) ==
                p->k);
    assert_true(p->matrix[CLG_C].rows == p->m && p->matrix[CLG_C].cols == p->n);
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++) {
            float sum = 0;
            for (int64_t l = 0; l < p->k; l++)
                sum += element(&p->matrix[CLG_A], host->at[CLG_A], i, l) *
                       element(&p->matrix[CLG_B], host->at[CLG_B], l, j);
            float *c = (float *)host->at[CLG_C] + (i + j * p->matrix[CLG_C].ld);
            *c = (float)scalars->alpha * sum + (float)scalars->beta * *c;
        }
}

/* All in small integers and halves, which floats add exactly. */
static void the_blocks_are_the_product(void **state) {
    (void)state;
    enum { M = 130, N = 67, K = 150, C = 45000, SPAN = (M + 3) * N };
    static float once[SPAN];
    const struct clg_host_matrices host = {{memory, memory + 22000, memory + C}};
    const struct clg_host_blocks blocks = {64, 64, 64, 1};
    for (int form = 0; form < 4; form++) {
        const struct clg_problem problem = problem_of(M, N, K, form & 1, form & 2, 2);
        for (int i = 0; i < C + SPAN; i++)
            memory[i] = (float)((i * 7919 + form) % 17 - 8);
        memcpy(once, host.at[CLG_C], sizeof once);
        multiply(&problem, &factors,
                 &(struct clg_host_matrices){{host.at[CLG_A], host.at[CLG_B], once}});
        for (int64_t j = 0; j < N; j += blocks.n)
            for (int64_t i = 0; i < M; i += blocks.m)
                for (int64_t p = 0; p < K; p += blocks.k) {
                    struct clg_problem block;
                    struct clg_scalars scalars;
                    struct clg_host_matrices at;
                    clg_host_block(&blocks, &problem, &factors, &host,
                                   (struct clg_host_origin){i, j, p, 0}, &block, &scalars, &at);
                    multiply(&block, &scalars, &at);
                }
        assert_memory_equal(once, host.at[CLG_C], sizeof once);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_one_block),
        cmocka_unit_test(what_is_in_place_is_one_block),
        cmocka_unit_test(copies_of_blocks_fit),
        cmocka_unit_test(no_bound_is_too_small),
        cmocka_unit_test(the_blocks_are_the_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
