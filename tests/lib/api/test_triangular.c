/* SPDX-License-Identifier: Apache-2.0
 * trmm and trsm at sizes around those of their steps, on triangles of any scale, and without room
 * for trmm's copy. On PoCL with a GPU's persona this runs the kernels of GPUs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "routine/routine.h"
#include "support/check.h"
#include "support/device.h"
#include "support/facts.h"
#include "support/level3.h"

enum { A = CLG_TEST_A, C = CLG_TEST_C };

static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_F64, CLGEMM_CF32, CLGEMM_CF64};
/* Blocks of 64 rows, and steps of 256 or fewer. */
static const int64_t sides[] = {64, 65, 129, 255, 256, 257, 321};
enum { SIDES = sizeof sides / sizeof *sides };

static void assert_right(struct clg_test_level3 *t) {
    float alpha[2], beta[2];
    clg_test_assert_success(clgemm_level3(
        NULL, &t->desc, clg_test_level3_factor(t, t->alpha, alpha),
        clg_test_matrix_data(&t->matrix[A]), NULL, clg_test_level3_factor(t, t->beta, beta),
        clg_test_matrix_data(&t->matrix[C])));
    const char *fault = clg_test_level3_fault(t);
    if (fault)
        fail_msg("%s", fault);
}

static struct clg_test_level3 draw(clgemm_routine routine, int form, int64_t side,
                                   struct clg_test_random *random) {
    const int num_types = clg_test_num_types() == CLG_TYPE_COUNT ? 4 : 1;
    struct clg_test_level3 t = clg_test_level3_draw(
        routine, types[clg_test_range(random, 0, num_types - 1)], form, 37, random);
    if (t.desc.side == CLGEMM_LEFT)
        t.desc.m = side;
    else
        t.desc.n = side;
    return t;
}

static void check_sides(unsigned stream, int step) {
    struct clg_test_random random = clg_test_random_start(stream);
    const int first = (int)clg_test_range(&random, 0, step - 1);
    for (int i = first; i < 2 * SIDES; i += step) {
        const clgemm_routine routine = i < SIDES ? CLGEMM_TRMM : CLGEMM_TRSM;
        struct clg_test_level3 t =
            draw(routine, (int)clg_test_range(&random, 0, 15), sides[i % SIDES], &random);
        clg_test_level3_create(&t, &random);
        assert_right(&t);
        clg_test_level3_destroy(&t);
    }
}

static void sizes_around_steps_are_right(void **state) {
    (void)state;
    check_sides(542, 1);
}

static int64_t compute_units(void) {
    struct clg_test_cl cl;
    cl_uint units = 1;
    clg_test_cl_open(&cl, 0);
    assert_int_equal(
        clGetDeviceInfo(cl.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL), 0);
    clg_test_cl_close(&cl);
    return units;
}

static void check_columns(struct clg_test_level3 *t, int64_t columns,
                          struct clg_test_random *random) {
    *(t->desc.side == CLGEMM_LEFT ? &t->desc.n : &t->desc.m) = columns;
    clg_test_level3_create(t, random);
    assert_right(t);
    clg_test_level3_destroy(t);
}

/* So many columns that a work-item of a GPU solves several, and that work-groups of one with few
 * compute units multiply in turns. */
static void many_columns_are_right(void **state) {
    struct clg_test_random random = clg_test_random_start(545);
    const int64_t units = compute_units();
    (void)state;
    for (int i = 0; i < 4; i++) {
        const bool solves = i % 2;
        struct clg_test_level3 t = draw(solves ? CLGEMM_TRSM : CLGEMM_TRMM,
                                        (int)clg_test_range(&random, 0, 15), 130, &random);
        const int64_t columns = (solves ? 8 << i / 2 : 256) * (units < 8 || solves ? units : 8) + 5;
        t.desc.batch = 0;
        check_columns(&t, columns, &random);
    }
}

/* A CPU solves many columns in panels, several of them at a time, and more rows than these have in
 * several blocks. With two threads the columns are enough (main). */
static void blocks_in_panels_are_right(void **state) {
    struct clg_test_random random = clg_test_random_start(546);
    const int64_t widest = 32;
    (void)state;
    if (getenv("CLG_PERSONA"))
        skip();
    for (int i = 0; i < 4; i++) {
        struct clg_test_level3 t = draw(CLGEMM_TRSM, (int)clg_test_range(&random, 4 * i, 4 * i + 3),
                                        i % 2 ? 1100 : 150, &random);
        const int64_t columns = widest * (i % 2 ? 2 : 12) + 5;
        t.desc.type = i < 2 || clg_test_num_types() < CLG_TYPE_COUNT ? CLGEMM_F32 : CLGEMM_F64;
        check_columns(&t, columns, &random);
    }
}

/* Rows are two pages long here. Of those with no element of the triangle none is read. */
static void nothing_beside_a_triangle_is_read(void **state) {
    static const clgemm_routine routines[] = {CLGEMM_SYMM, CLGEMM_TRMM, CLGEMM_TRSM};
    enum { SIDE = 1024, OTHER = 100, FORMS = 8 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = SIDE * SIDE * sizeof(double);
    double *const b = clg_test_alloc(SIDE * OTHER * sizeof *b), *const c = clg_test_alloc(
                                                                    SIDE * OTHER * sizeof *c);
    (void)state;
    if (getenv("CLG_PERSONA") || !clgemm_shares_memory(NULL) ||
        clg_test_num_types() < CLG_TYPE_COUNT || 2 * page != SIDE * sizeof *b)
        skip();
    for (int i = 0; i < SIDE * OTHER; i++)
        b[i] = c[i] = i % 7;
    for (int form = 0; form < FORMS * 3; form++) {
        const bool left = form & 1, lower = form & 4;
        const clgemm_level3_desc desc = {.size = sizeof desc,
                                         .routine = routines[form / FORMS],
                                         .type = CLGEMM_F64,
                                         .layout = CLGEMM_ROW_MAJOR,
                                         .side = left ? CLGEMM_LEFT : CLGEMM_RIGHT,
                                         .uplo = lower ? CLGEMM_LOWER : CLGEMM_UPPER,
                                         .trans = form & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                         .diag = CLGEMM_NON_UNIT,
                                         .m = left ? SIDE : OTHER,
                                         .n = left ? OTHER : SIDE,
                                         .lda = SIDE,
                                         .ldb = left ? OTHER : SIDE,
                                         .ldc = left ? OTHER : SIDE};
        const double one = 1;
        double *const a =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_ptr_not_equal(a, MAP_FAILED);
        for (int i = 0; i < SIDE; i++)
            a[(size_t)i * SIDE + (size_t)i] = 2;
        for (int i = lower ? 0 : SIDE / 2; i < (lower ? SIDE / 2 : SIDE); i++)
            assert_int_equal(mprotect((char *)a + (2 * (size_t)i + lower) * page, page, PROT_NONE),
                             0);
        clg_test_assert_success(clgemm_level3(NULL, &desc, &one, a, b, &one, c));
        munmap(a, bytes);
    }
    free(b);
    free(c);
}

static void little_workspace_is_enough(void **state) {
    (void)state;
    /* GPUs, also those of personas, have copies of host matrices, which would not fit. */
    if (getenv("CLG_PERSONA") || !clgemm_shares_memory(NULL))
        skip();
    clgemm_clear_cache();
    setenv("CLGEMM_WORKSPACE_MAX", "16K", 1);
    check_sides(543, 3);
    unsetenv("CLGEMM_WORKSPACE_MAX");
    clgemm_clear_cache();
}

/* Multiplies each row of a column-major A by a power of two of its own, and one element of the
 * diagonal by a tiny one: the bound on residuals knows no condition. */
static void grade(struct clg_test_level3 *t) {
    struct clg_test_matrix *a = &t->matrix[A];
    const int64_t n = t->rows[A];
    float *memory = (float *)a->memory + a->offset;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            memory[i + j * a->ld] *=
                ldexpf(1, (int)(i * 7 % 41) - 20 - (i == j && i == n / 2 ? 16 : 0));
    memcpy(a->before, a->memory, a->count * sizeof *memory);
}

static void residuals_are_small_on_any_scale(void **state) {
    struct clg_test_random random = clg_test_random_start(544);
    (void)state;
    for (int form = 0; form < 8; form += 2) /* column-major */
        for (int routine = CLGEMM_TRMM; routine <= CLGEMM_TRSM; routine++) {
            struct clg_test_level3 t = draw((clgemm_routine)routine, form, 300, &random);
            t.desc.type = CLGEMM_F32;
            t.desc.batch = 0;
            clg_test_level3_create(&t, &random);
            grade(&t);
            assert_right(&t);
            clg_test_level3_destroy(&t);
        }
}

/* A step may multiply by a reciprocal, but not where that or the quotient is no normal number. */
static void any_number_is_divided_by_any(void **state) {
    static const float numbers[] = {1,          3,           -0.0f,      0,       0x1p-149f,
                                    -0x1p-126f, 7e-20f,      0x1.8p-61f, 0x1p60f, 3e18f,
                                    0x1.3p100f, -0x1.fp127f, INFINITY,   NAN};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        float x[COUNT];
        memcpy(x, numbers, sizeof x);
        clg_test_assert_success(clgemm_strsm(CLGEMM_ROW_MAJOR, CLGEMM_LEFT, CLGEMM_LOWER,
                                             CLGEMM_NO_TRANS, CLGEMM_NON_UNIT, 1, COUNT, 1,
                                             &numbers[i], 1, x, COUNT));
        for (int j = 0; j < COUNT; j++) {
            const float exact = numbers[j] / numbers[i];
            const bool right = isfinite(exact) ? fabsf(x[j] - exact) <= 0x1p-22f * fabsf(exact)
                               : isnan(exact)  ? isnan(x[j])
                                               : x[j] == exact;
            if (!right)
                fail_msg("%a / %a = %a, not %a", (double)numbers[j], (double)numbers[i],
                         (double)exact, (double)x[j]);
        }
    }
}

/* Multiplies rows or columns of ones, of which number `at` is infinite, by a triangle of ones. Only
 * sums that have that number may be infinite, and the triangle's other half is NaN. */
static void check_infinity(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                           clgemm_transpose trans, clgemm_diag diag, int at) {
    enum { N = 100, VECTORS = 3 };
    static float t[N * N], x[N * VECTORS];
    const bool upper = (uplo == CLGEMM_UPPER) == (layout == CLGEMM_ROW_MAJOR);
    const bool left = side == CLGEMM_LEFT, contiguous = left == (layout == CLGEMM_COL_MAJOR);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            t[i * N + j] =
                (upper ? j >= i : j <= i) && (i != j || diag == CLGEMM_NON_UNIT) ? 1 : NAN;
    for (int i = 0; i < N * VECTORS; i++)
        x[i] = (contiguous ? i % N : i / VECTORS) == at ? INFINITY : 1;
    clg_test_assert_success(clgemm_strmm(layout, side, uplo, trans, diag, left ? N : VECTORS,
                                         left ? VECTORS : N, 1, t, N, x, contiguous ? N : VECTORS));
    const bool after = ((uplo == CLGEMM_UPPER) == (trans == CLGEMM_NO_TRANS)) != left;
    for (int i = 0; i < N * VECTORS; i++) {
        const int j = contiguous ? i % N : i / VECTORS;
        const bool has = after ? j >= at : j <= at;
        const float sum = (float)(after ? j + 1 : N - j);
        if (has ? x[i] != INFINITY : x[i] != sum)
            fail_msg("%d %d %d %d %d: number %d is %g, with an infinity in %d", layout, side, uplo,
                     trans, diag, j, (double)x[i], at);
    }
}

static void infinities_meet_no_zeros(void **state) {
    (void)state;
    for (int form = 0; form < 32; form++)
        for (int at = 0; at < 100; at += 33)
            check_infinity(form & 1 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
                           form & 2 ? CLGEMM_RIGHT : CLGEMM_LEFT,
                           form & 4 ? CLGEMM_UPPER : CLGEMM_LOWER,
                           form & 8 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                           form & 16 ? CLGEMM_UNIT : CLGEMM_NON_UNIT, at);
}

/* Then a step takes a block, as elsewhere where many rows do not fit. */
static void little_local_memory_is_enough(void **state) {
    struct clg_facts facts = clg_test_gpu;
    (void)state;
    assert_true(clg_block_side(CLGEMM_F32, true, &facts) >
                clg_block_side(CLGEMM_F32, false, &facts));
    for (facts.local_memory = 1024; facts.local_memory; facts.local_memory /= 2)
        assert_int_equal(clg_block_side(CLGEMM_F32, true, &facts),
                         clg_block_side(CLGEMM_F32, false, &facts));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(little_local_memory_is_enough),
                                       cmocka_unit_test(sizes_around_steps_are_right),
                                       cmocka_unit_test(many_columns_are_right),
                                       cmocka_unit_test(blocks_in_panels_are_right),
                                       cmocka_unit_test(nothing_beside_a_triangle_is_read),
                                       cmocka_unit_test(any_number_is_divided_by_any),
                                       cmocka_unit_test(infinities_meet_no_zeros),
                                       cmocka_unit_test(residuals_are_small_on_any_scale),
                                       cmocka_unit_test(little_workspace_is_enough)};
    setenv("POCL_MAX_PTHREAD_COUNT", "2", 1);
    setenv("CLGEMM_VERIFY", "off", 1); /* or others would replace what fails its check */
    clg_test_require_device();
    if (!clg_test_level3_is_possible())
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
