/* SPDX-License-Identifier: Apache-2.0
 * Doubles on a device without FP64: the device under test, as if it had none. Kernels multiply and
 * add them by whole numbers, so C must have the bits that the host's fma() gives. */
#include <math.h>
#include <string.h>

#include "gemm/family.h"
#include "support/check.h"
#include "support/device.h"

static struct clg_test_cl *const cl = &clg_test_fixture.cl;
static struct clg_engine *const engine = &clg_test_fixture.engine;

static const struct clg_params few = {.tile_m = 4, .tile_n = 2, .wg_m = 2, .wg_n = 1};

/* Bits of a number of one of these kinds. */
enum kind { ORDINARY, CLOSE, ANY, ENDS, SPECIAL, KINDS };

static double draw(struct clg_test_random *random, enum kind kind) {
    static const double ends[] = {0x1p-1074, 0x1.fffffffffffffp-1023, 0x1p-1022,
                                  0x1.fffffffffffffp1023, 0};
    static const double special[] = {HUGE_VAL, 0, 0x1p1023, 1};
    const uint64_t bits = (uint64_t)clg_test_range(random, 0, UINT32_MAX) << 32 |
                          (uint64_t)clg_test_range(random, 0, UINT32_MAX);
    const double sign = bits >> 63 ? -1 : 1;
    double x;
    memcpy(&x, &bits, sizeof x);
    switch (kind) {
    case ORDINARY:
        return (double)(int64_t)bits * 0x1p-63;
    case CLOSE: /* sums cancel and end halfway between two numbers */
        return sign * ldexp(1 + (double)(bits & 3) * 0x1p-52, (int)(bits >> 8 & 1));
    case ENDS:
        return sign * ends[bits % 5];
    case SPECIAL:
        return bits % 64 ? sign * special[bits / 64 % 4] : (double)NAN;
    default:
        return isfinite(x) ? x : 1;
    }
}

static bool same(double x, double y) {
    return isnan(x) ? isnan(y) : memcmp(&x, &y, sizeof x) == 0;
}

/* Rounded apart, whatever the compiler would contract. */
static double expected(const double *a, const double *b, int64_t k, double alpha, double beta,
                       double c) {
    volatile double sum = 0, of_c;
    for (int64_t p = 0; p < k; p++)
        sum = fma(a[p], b[p], sum);
    sum = alpha * sum;
    of_c = beta == 0 ? 0 : beta * c;
    return sum + of_c;
}

static void check(const struct clg_test_problem *problem, enum kind kind,
                  struct clg_test_random *random) {
    struct clg_test_case test;
    clg_test_case_create(&test, problem, random);
    double *a = clg_test_matrix_data(&test.a), *b = clg_test_matrix_data(&test.b);
    double *c = clg_test_matrix_data(&test.c);
    for (int64_t p = 0; p < problem->k; p++) {
        for (int64_t i = 0; i < problem->m; i++)
            a[p + i * test.a.ld] = draw(random, kind);
        for (int64_t j = 0; j < problem->n; j++)
            b[p + j * test.b.ld] = draw(random, kind);
    }
    for (int64_t j = 0; j < problem->n; j++)
        for (int64_t i = 0; i < problem->m; i++)
            c[i + j * test.c.ld] = draw(random, kind);
    clg_test_matrix_snapshot(&test.a);
    clg_test_matrix_snapshot(&test.b);
    clg_test_matrix_snapshot(&test.c);
    double before[64];
    assert_true(problem->m * problem->n <= 64);
    for (int64_t j = 0; j < problem->n; j++)
        for (int64_t i = 0; i < problem->m; i++)
            before[i + j * problem->m] = c[i + j * test.c.ld];
    assert_true(
        clg_test_family_run(engine, cl, &clg_family_direct, &few, CLGEMM_MATH_STRICT, &test));
    for (int64_t j = 0; j < problem->n; j++)
        for (int64_t i = 0; i < problem->m; i++) {
            const double is = ((double *)clg_test_matrix_data(&test.c))[i + j * test.c.ld];
            const double must =
                expected(a + i * test.a.ld, b + j * test.b.ld, problem->k, (double)problem->alpha,
                         (double)problem->beta, before[i + j * problem->m]);
            if (!same(is, must))
                print_message("kind %d, (%d, %d): %a instead of %a\n", (int)kind, (int)i, (int)j,
                              is, must);
            assert_true(same(is, must));
        }
    clg_test_case_destroy(&test);
}

static void bits_are_those_of_fused_multiply_adds(void **state) {
    static const float scalars[][2] = {{1, 0}, {-0.7F, 1.5F}, {3, 1}, {1, -1}};
    struct clg_test_random random = clg_test_random_start(1);
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < 16; i++) {
            const struct clg_test_problem problem = {.type = CLGEMM_F64,
                                                     .layout = CLGEMM_COL_MAJOR,
                                                     .ta = CLGEMM_TRANS,
                                                     .tb = CLGEMM_NO_TRANS,
                                                     .m = 9,
                                                     .n = 7,
                                                     .k = 1 + i,
                                                     .alpha = scalars[i % 4][0],
                                                     .beta = scalars[i % 4][1],
                                                     .gap_c = 1};
            check(&problem, (enum kind)kind, &random);
        }
}

/* No other family has such arithmetic; complex doubles have none. */
static void direct_alone_computes_them(void **state) {
    struct clg_test_random random = clg_test_random_start(2);
    const struct clg_test_problem problem = {.type = CLGEMM_F64,
                                             .layout = CLGEMM_COL_MAJOR,
                                             .ta = CLGEMM_NO_TRANS,
                                             .tb = CLGEMM_NO_TRANS,
                                             .m = 100,
                                             .n = 100,
                                             .k = 100,
                                             .alpha = 1};
    struct clg_test_case test;
    struct clg_problem posed;
    struct clg_call call;
    (void)state;
    clg_test_case_create(&test, &problem, &random);
    call = clg_test_case_call(&test);
    clg_test_assert_success(clg_problem_init(&posed, &call));
    for (int f = 0; clg_families[f]; f++)
        assert_true(
            !clg_family_kind_unsupported_reason(clg_families[f], &posed, &engine->device->facts) ==
            (clg_families[f] == &clg_family_direct));
    posed.type = CLGEMM_CF64;
    assert_non_null(
        clg_family_kind_unsupported_reason(&clg_family_direct, &posed, &engine->device->facts));
    clg_test_case_destroy(&test);
}

static int open_without_fp64(void **state) {
    const int failed = clg_test_fixture_open(state);
    engine->device->facts.has_fp64 = false;
    engine->device->facts.arch.doubles = 0;
    return failed;
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_fused_multiply_adds),
        cmocka_unit_test(direct_alone_computes_them),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, open_without_fp64, clg_test_fixture_close);
}
