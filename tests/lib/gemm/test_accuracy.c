/* SPDX-License-Identifier: Apache-2.0
 * The largest error of each family, type and mode, relative to strict's bound, on data of several
 * kinds. Prints a table, and fails if a bound is exceeded. A short run draws a type, and which
 * operands are transposed; a long one is for all of them. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "gemm/family.h"
#include "support/check.h"
#include "support/device.h"
#include "support/judge.h"
#include "support/rows.h"

enum { M = 131, N = 61, K = 516 };
enum kind { ORDINARY, WIDE, CANCELLING, DENORMAL, SPECIAL, KINDS };

static int drawn = -1;    /* the type of a short run, in turn; -1: all */
static int rounding = -1; /* the mode of a short run that rounds floats; -1: all */
static bool transposed_a, transposed_b;

static struct clg_test_cl *const cl = &clg_test_fixture.cl;
static struct clg_engine *const engine = &clg_test_fixture.engine;

/* ---- Data ---- */

/* Where element (row, col) of op() is. */
static int64_t place(const struct clg_test_matrix *matrix, bool transposed, int64_t row,
                     int64_t col) {
    return transposed ? col + row * matrix->ld : row + col * matrix->ld;
}

static double get_a(const struct clg_test_case *test, int64_t i, int64_t l) {
    return clg_element(test->a.type, clg_test_matrix_data(&test->a),
                       place(&test->a, transposed_a, i, l));
}

static double get_b(const struct clg_test_case *test, int64_t l, int64_t j) {
    return clg_element(test->b.type, clg_test_matrix_data(&test->b),
                       place(&test->b, transposed_b, l, j));
}

static void set_a(struct clg_test_case *test, int64_t i, int64_t l, double value) {
    clg_element_set(test->a.type, clg_test_matrix_data(&test->a),
                    place(&test->a, transposed_a, i, l), value);
}

static void set_b(struct clg_test_case *test, int64_t l, int64_t j, double value) {
    clg_element_set(test->b.type, clg_test_matrix_data(&test->b),
                    place(&test->b, transposed_b, l, j), value);
}

/* Powers of two whose sums C's type can hold. */
static double widen(clgemm_type type, double value, struct clg_test_random *random) {
    const bool half = type == CLGEMM_F16;
    return ldexp(value, (int)clg_test_range(random, half ? -8 : -15, half ? 0 : 15));
}

/* Makes numbers of [-1, 1) subnormal. */
static int subnormal_exponent(clgemm_type type) {
    return type == CLGEMM_F64 ? -1023 : type == CLGEMM_F16 ? -15 : -127;
}

/* Infinities and NaN, alone and together in a row, in a row and a column at one step of k and at
 * others; numbers too small beside their neighbours for parts; and rows far from 1. */
static void make_special(struct clg_test_case *test) {
    static const struct {
        int row, column;
        double value;
    } odd[] = {{3, 7, HUGE_VAL},   {4, 7, -HUGE_VAL},    {4, 300, HUGE_VAL},
               {9, 40, -HUGE_VAL}, {9, 41, HUGE_VAL},    {30, 70, HUGE_VAL},
               {50, 3, 0x1p-110},  {51, 200, -0x1p-100}, {51, 201, HUGE_VAL}};
    const int far = test->a.type == CLGEMM_F16 ? 4 : 50; /* powers of two */
    for (int64_t l = 0; l < K; l++) {
        set_a(test, 60, l, ldexp(get_a(test, 60, l), far));
        set_a(test, 61, l, ldexp(get_a(test, 61, l), -far));
        set_b(test, l, 40, ldexp(get_b(test, l, 40), far));
        set_b(test, l, 41, ldexp(get_b(test, l, 41), -far));
    }
    for (size_t e = 0; e < sizeof odd / sizeof *odd; e++) {
        set_a(test, odd[e].row, odd[e].column, odd[e].value);
        set_b(test, (odd[e].column + 20) % K, odd[e].row, odd[e].value);
    }
    set_a(test, M - 1, K - 1, (double)NAN);
    set_b(test, 7, 5, 0);
    set_b(test, 8, N - 1, -HUGE_VAL);
}

static void spread(struct clg_test_case *test, enum kind kind, struct clg_test_random *random) {
    const clgemm_type type = test->a.type;
    for (int64_t l = 0; l < K; l++) {
        for (int64_t i = 0; i < M; i++) {
            const double x = get_a(test, i, l);
            if (kind == WIDE)
                set_a(test, i, l, widen(type, x, random));
            if (kind == DENORMAL)
                set_a(test, i, l, ldexp(x, subnormal_exponent(type)));
            if (kind == CANCELLING && l % 2)
                set_a(test, i, l, get_a(test, i, l - 1));
        }
        for (int64_t j = 0; j < N; j++) {
            if (kind == WIDE)
                set_b(test, l, j, widen(type, get_b(test, l, j), random));
            if (kind == CANCELLING && l % 2)
                set_b(test, l, j, -get_b(test, l - 1, j));
        }
    }
    if (kind == SPECIAL)
        make_special(test);
    clg_test_matrix_snapshot(&test->a);
    clg_test_matrix_snapshot(&test->b);
}

/* What the roundings of K products and sums, and of C, may lose below the least normal number; or
 * all of it, if such numbers count as 0. */
static double least_for(clgemm_type type, bool strict) {
    cl_device_fp_config config = 0;
    clGetDeviceInfo(cl->device,
                    clg_type_real(type) == CLGEMM_F64 ? CL_DEVICE_DOUBLE_FP_CONFIG
                                                      : CL_DEVICE_SINGLE_FP_CONFIG,
                    sizeof config, &config, NULL);
    const double normal = clg_least_normal(type) * clg_type_parts(type);
    return strict && config & CL_FP_DENORM ? K * normal * 2 * clg_roundoff(type) : K * normal;
}

/* ---- The table ---- */

/* For this kind of data by the family in that mode; below 0: it declines. */
static double error_of(const struct clg_family *family, const struct clg_params *params,
                       clgemm_type type, clgemm_math math, enum kind kind) {
    const struct clg_test_problem problem = {.type = type,
                                             .layout = CLGEMM_COL_MAJOR,
                                             .ta = transposed_a ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                             .tb = transposed_b ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                             .m = M,
                                             .n = N,
                                             .k = K,
                                             .alpha = 1};
    struct clg_test_random random = clg_test_random_start((uint64_t)kind);
    struct clg_test_case test;
    double error = -1;
    clg_test_case_create(&test, &problem, &random);
    spread(&test, kind, &random);
    if (clg_test_family_run(engine, cl, family, params, math, &test))
        error = clg_test_largest_error(
            &problem, clg_test_matrix_data(&test.a), test.a.ld, clg_test_matrix_data(&test.b),
            test.b.ld, clg_test_matrix_data(&test.c), test.c.ld,
            kind == DENORMAL ? least_for(type, math == CLGEMM_MATH_STRICT) : 0);
    clg_test_case_destroy(&test);
    return error;
}

static bool rounds_operands(clgemm_math math) {
    return math == CLGEMM_MATH_TF32 || math == CLGEMM_MATH_BF16 || math == CLGEMM_MATH_F16;
}

/* The largest error that the mode permits, times strict's bound. NORMWISE keeps that if the
 * elements of a row are of similar size. Rounded operands must not be out of their type's range. */
static double most_of(clgemm_type type, clgemm_math math, enum kind kind) {
    const double r = math == CLGEMM_MATH_BF16 ? 0x1p-8 : 0x1p-11;
    if ((math == CLGEMM_MATH_NORMWISE && kind != ORDINARY) ||
        (rounds_operands(math) && (kind == DENORMAL || kind == SPECIAL)))
        return DBL_MAX;
    return rounds_operands(math) ? 1 + (2 * r + r * r) / ((K * clg_type_parts(type) + 2) * 0x1p-24)
                                 : 1;
}

static void check_line(const struct clg_family *family, const struct clg_params *params,
                       clgemm_type type, clgemm_math math) {
    double errors[KINDS];
    for (int kind = 0; kind < KINDS; kind++)
        if ((errors[kind] = error_of(family, params, type, math, (enum kind)kind)) < 0)
            return;
    print_message("| %s | %s | %s | %.2g | %.2g | %.2g | %.2g | %s |\n", family->name,
                  clg_types[type].name, clg_math_word(math), errors[ORDINARY], errors[WIDE],
                  errors[CANCELLING], errors[DENORMAL], isinf(errors[SPECIAL]) ? "wrong" : "right");
    for (int kind = 0; kind < KINDS; kind++)
        assert_true(errors[kind] <= most_of(type, math, (enum kind)kind));
}

/* Modes that round floats; a short run draws one. */
static void check_rounding(const struct clg_family *family, const struct clg_params *params,
                           clgemm_type type) {
    static const clgemm_math modes[] = {CLGEMM_MATH_TF32, CLGEMM_MATH_BF16, CLGEMM_MATH_F16};
    for (int i = 0; i < 3; i++)
        if (clg_type_real(type) == CLGEMM_F32 && (rounding < 0 || rounding == i))
            check_line(family, params, type, modes[i]);
}

static void check_families(void) {
    print_message("| family | type | mode | ordinary | wide | cancelling | subnormal | Inf, NaN |\n"
                  "|---|---|---|---:|---:|---:|---:|---|\n");
    for (int f = 0; clg_families[f]; f++) {
        const struct clg_family *family = clg_families[f];
        size_t count;
        const struct clg_params *rows = clg_test_rows(family, CLG_DEVICE_CPU, &count);
        if (family->premise) /* it runs on no other device, or on none */
            rows = clg_test_rows(family, engine->device->facts.kind, &count);
        for (int t = 0; t < clg_test_num_types() && count > 0; t++) {
            const clgemm_type type = clg_test_type(t);
            if (drawn >= 0 && t != drawn % clg_test_num_types())
                continue;
            for (size_t r = 0; r < (family->premise ? count : 1); r++) {
                if (family->strict) {
                    check_line(family, &rows[r], type, CLGEMM_MATH_STRICT);
                    continue;
                }
                struct clg_params shared = rows[r]; /* tiles of several groups */
                shared.sharers = 3;
                check_line(family, &rows[r], type, CLGEMM_MATH_ACCURATE);
                check_line(family, &shared, type, CLGEMM_MATH_ACCURATE);
                check_line(family, &rows[r], type, CLGEMM_MATH_NORMWISE);
                check_rounding(family, &rows[r], type);
            }
        }
    }
}

static void errors_are_within_their_bounds(void **state) {
    const int form = clg_test_is_long() ? -1 : clg_test_draw(4);
    (void)state;
    for (int i = 0; i < 4; i++) {
        transposed_a = i & 1;
        transposed_b = i & 2;
        if (form < 0 || form == i)
            check_families();
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_within_their_bounds)};
    clg_test_require_device();
    if (!clg_test_is_long()) {
        drawn = clg_test_draw(CLG_TYPE_COUNT);
        rounding = clg_test_draw(3);
    }
    return cmocka_run_group_tests(tests, clg_test_fixture_open, clg_test_fixture_close);
}
