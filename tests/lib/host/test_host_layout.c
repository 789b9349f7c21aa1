/* SPDX-License-Identifier: Apache-2.0
 * The placement of host matrices in buffers: what is used in place, what is copied, what shares a
 * buffer. No device is needed. */
#include "host/buffers.h"
#include "support/check.h"

enum { M = 40, N = 24, K = 16, IN_A = M * K, IN_B = K * N, IN_C = M * N };
static const uint64_t plenty = UINT64_C(1) << 40;

static float memory[1 << 16];

/* The layout of an M x N x K product in place, NN and column-major; all in `memory`, at these
 * positions and with these leading dimensions. */
struct places {
    size_t a, b, c;
    int64_t lda, ldb, ldc;
};

static const struct places apart = {0, 4096, 8192, M, K, M};

static struct clg_host_layout lay_out(const struct places *p, bool share, uint64_t max_allocation) {
    const struct clg_host_matrices host = {{memory + p->a, memory + p->b, memory + p->c}};
    const struct clg_call call = {
        .layout = CLGEMM_COL_MAJOR,
        .ta = CLGEMM_NO_TRANS,
        .tb = CLGEMM_NO_TRANS,
        .m = M,
        .n = N,
        .k = K,
        .scalars = {.alpha = 1},
        .operand = {{.ld = p->lda, .bytes = UINT64_MAX, .alignment = 64},
                    {.ld = p->ldb, .bytes = UINT64_MAX, .alignment = 64},
                    {.ld = p->ldc, .bytes = UINT64_MAX, .alignment = 64}}};
    struct clg_problem problem;
    struct clg_host_layout out;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    clg_test_assert_success(clg_host_layout_make(&out, &problem, &host, share, max_allocation));
    return out;
}

static void assert_in_place(const struct clg_host_layout *layout, bool a, bool b, bool c) {
    assert_int_equal(layout->placement[CLG_A].in_place, a);
    assert_int_equal(layout->placement[CLG_B].in_place, b);
    assert_int_equal(layout->placement[CLG_C].in_place, c);
}

static void matrices_apart_have_buffers_of_their_own(void **state) {
    (void)state;
    const struct clg_host_layout layout = lay_out(&apart, true, plenty);
    assert_in_place(&layout, true, true, true);
    for (int i = 0; i < CLG_MATRICES; i++)
        assert_int_equal(layout.placement[i].buffer, i);
    assert_true(layout.placement[CLG_A].begin == (uintptr_t)memory);
    assert_int_equal(layout.placement[CLG_A].end - layout.placement[CLG_A].begin,
                     IN_A * sizeof(float));
    assert_int_equal(layout.problem.matrix[CLG_A].offset, 0);
    assert_int_equal(layout.problem.matrix[CLG_A].vector, 4);
}

static void copies_are_aligned(void **state) {
    (void)state;
    const struct places odd = {1, 4096, 8192, M + 1, K + 3, M + 2};
    const struct clg_host_layout layout = lay_out(&odd, false, plenty);
    assert_in_place(&layout, false, false, false);
    assert_int_equal(layout.problem.matrix[CLG_A].ld, M);
    assert_int_equal(layout.problem.matrix[CLG_A].vector, 4);
    for (int i = 0; i < CLG_MATRICES; i++)
        assert_int_equal(layout.placement[i].buffer, i);
}

/* B begins inside A, and C in B's tail: all three are one buffer, from A's first element. */
static void what_overlaps_shares_a_buffer(void **state) {
    (void)state;
    const struct places chain = {64, 64 + IN_A - 2, 64 + IN_A - 2 + IN_B - 6, M, K, M};
    const struct clg_host_layout layout = lay_out(&chain, true, plenty);
    assert_in_place(&layout, true, true, true);
    for (int i = 0; i < CLG_MATRICES; i++) {
        assert_int_equal(layout.placement[i].buffer, CLG_A);
        assert_true(layout.placement[i].begin == (uintptr_t)(memory + 64));
        assert_true(layout.placement[i].end == (uintptr_t)(memory + chain.c + IN_C));
    }
    assert_int_equal(layout.problem.matrix[CLG_B].offset, IN_A - 2);
    assert_int_equal(layout.problem.matrix[CLG_B].vector, 2);
    assert_int_equal(layout.problem.matrix[CLG_C].offset, IN_A + IN_B - 8);
    assert_int_equal(layout.problem.matrix[CLG_C].vector, 4);
}

/* B's span is nearly all gap, so B is copied, and so is an A that overlaps it. */
static void what_overlaps_a_copy_is_copied(void **state) {
    (void)state;
    enum { LONG_A = 3 * M, LONG_B = 60 * K };
    const struct places same = {0, 0, 32768, LONG_A, LONG_B, M},
                        next = {40960, 0, 32768, LONG_A, LONG_B, M};
    struct clg_host_layout layout = lay_out(&same, true, plenty);
    assert_in_place(&layout, false, false, true);
    assert_int_equal(layout.placement[CLG_B].buffer, CLG_B);
    assert_int_equal(layout.problem.matrix[CLG_A].ld, M);
    assert_int_equal(layout.problem.matrix[CLG_B].ld, K);
    layout = lay_out(&next, true, plenty);
    assert_in_place(&layout, true, false, true);
    assert_int_equal(layout.problem.matrix[CLG_A].readable, M);
}

static void c_with_gaps_is_copied(void **state) {
    (void)state;
    const struct places gaps = {0, 4096, 8192, M, K, M + 1};
    struct clg_host_layout layout = lay_out(&gaps, true, plenty);
    assert_in_place(&layout, true, true, false);
    const struct places between = {0, 4096, M, 2 * M, K, 2 * M}; /* C's columns between A's */
    layout = lay_out(&between, true, plenty);
    assert_in_place(&layout, false, true, false);
}

static void no_buffer_is_larger_than_the_device_takes(void **state) {
    (void)state;
    const struct places overlap = {0, IN_A - 4, 8192, M, K, M};
    const uint64_t c_fits = IN_C * sizeof(float), a_fits = IN_A * sizeof(float);
    struct clg_host_layout layout = lay_out(&apart, true, a_fits);
    assert_in_place(&layout, true, true, false);
    layout = lay_out(&overlap, true, c_fits);
    assert_in_place(&layout, false, false, true); /* each fits, but not both in one */
}

/* Only copies count: their sum, and each. */
static void copies_fit_or_not(void **state) {
    (void)state;
    const struct places gaps = {0, 4096, 8192, M, K, M + 1};
    const struct clg_host_layout in_place = lay_out(&apart, true, plenty);
    const struct clg_host_layout some = lay_out(&gaps, true, plenty);
    const struct clg_host_layout all = lay_out(&gaps, false, plenty);
    const uint64_t c = (uint64_t)(clg_host_dense_ld(CLGEMM_F32, M) * N) * sizeof(float);
    struct clg_facts facts = {.workspace_max = c * 4 / 3, .max_allocation = c};
    assert_true(clg_host_layout_fits(&some, &facts) && !clg_host_layout_fits(&all, &facts));
    facts.workspace_max--;
    assert_true(clg_host_layout_fits(&in_place, &facts) && !clg_host_layout_fits(&some, &facts));
    facts.workspace_max = plenty;
    assert_true(clg_host_layout_fits(&some, &facts));
    facts.max_allocation--;
    assert_false(clg_host_layout_fits(&some, &facts));
}

/* A batch whose A are windows on one array, with more elements in all than can be counted. */
static void windows_on_an_array_are_used_in_place(void **state) {
    enum { ROWS = 1 << 20, COLS = 1 << 11 };
    const int64_t batch = INT64_C(1) << 33;
    const struct clg_host_matrices host = {{memory,
                                            (void *)(uintptr_t)(UINT64_C(1) << 45), /* untouched */
                                            (void *)(uintptr_t)(UINT64_C(1) << 46)}};
    struct clg_call call = {
        .layout = CLGEMM_COL_MAJOR,
        .ta = CLGEMM_TRANS,
        .tb = CLGEMM_NO_TRANS,
        .m = COLS,
        .n = 1,
        .k = ROWS,
        .batch = batch,
        .scalars = {.alpha = 1},
        .operand = {{.ld = ROWS, .stride = 1}, {.ld = ROWS}, {.ld = COLS, .stride = COLS}}};
    struct clg_problem problem;
    struct clg_host_layout layout;
    (void)state;
    if (sizeof(uintptr_t) < sizeof(int64_t))
        skip(); /* no address is that large */
    for (int i = 0; i < CLG_MATRICES; i++) {
        call.operand[i].bytes = UINT64_MAX;
        call.operand[i].alignment = 4;
    }
    clg_test_assert_success(clg_problem_init(&problem, &call));
    clg_test_assert_success(clg_host_layout_make(&layout, &problem, &host, true, UINT64_MAX));
    assert_in_place(&layout, true, true, true);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_apart_have_buffers_of_their_own),
        cmocka_unit_test(copies_are_aligned),
        cmocka_unit_test(what_overlaps_shares_a_buffer),
        cmocka_unit_test(what_overlaps_a_copy_is_copied),
        cmocka_unit_test(c_with_gaps_is_copied),
        cmocka_unit_test(no_buffer_is_larger_than_the_device_takes),
        cmocka_unit_test(copies_fit_or_not),
        cmocka_unit_test(windows_on_an_array_are_used_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
