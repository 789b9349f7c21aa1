/* SPDX-License-Identifier: Apache-2.0
 * 16-bit elements, F16 and BF16: each of the 65536 values is read exactly, and C is rounded once,
 * to nearest, ties to even. Results are compared bit for bit. */
#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/device.h"

enum { ALL = 1 << 16, SIGN = 0x8000 };

static clgemm_type type; /* all tests run for both */

static double value_of(int bits) {
    return clg_narrow_value(type, (uint16_t)bits);
}

static int most_finite(void) {
    return type == CLGEMM_F16 ? 0x7bff : 0x7f7f;
}

/* C := alpha * A * B + beta * C of an m x k A and a k x n B without gaps, column-major. */
static void multiply(int64_t m, int64_t n, int64_t k, float alpha, const uint16_t *a,
                     const uint16_t *b, float beta, uint16_t *c) {
    const clgemm_desc desc = {.size = sizeof desc,
                              .type = type,
                              .layout = CLGEMM_COL_MAJOR,
                              .ta = CLGEMM_NO_TRANS,
                              .tb = CLGEMM_NO_TRANS,
                              .m = m,
                              .n = n,
                              .k = k,
                              .lda = m,
                              .ldb = k ? k : 1,
                              .ldc = m};
    clg_test_assert_success(clgemm_gemm(NULL, &desc, &alpha, a, b, &beta, c));
}

/* Whether both are the same element; all NaN count as one. */
static bool same(uint16_t x, uint16_t y) {
    return x == y || (isnan(value_of(x)) && isnan(value_of(y)));
}

/* An element plus zero: -0 + 0 is 0. */
static uint16_t plus_zero(uint16_t x) {
    return x == SIGN ? 0 : x;
}

static void expect(const uint16_t *found, const uint16_t *wanted, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!same(found[i], wanted[i]))
            fail_msg("%s: element %d is %#x, not %#x", clg_types[type].name, (int)i, found[i],
                     wanted[i]);
}

/* The host's own conversions, which the tests and all judges use, compared with a sum of powers of
 * two; and their rounding halfway between neighbours and next to that. */
static void the_host_knows_every_element(void **state) {
    (void)state;
    const int digits = type == CLGEMM_F16 ? 10 : 7, bias = type == CLGEMM_F16 ? 15 : 127;
    for (int i = 0; i <= most_finite(); i++) {
        double value = i >> digits ? 1 : 0;
        for (int d = 0; d < digits; d++)
            value += i >> d & 1 ? pow(2, d - digits) : 0;
        value *= pow(2, (i >> digits ? i >> digits : 1) - bias);
        assert_true(value_of(i) == value && value_of(i | SIGN) == -value);
        assert_int_equal(clg_narrow_bits(type, value), i);
        assert_int_equal(clg_narrow_bits(type, -value), i | SIGN);
        const double step = pow(2, (i >> digits ? i >> digits : 1) - bias - digits);
        assert_int_equal(clg_narrow_bits(type, value + step / 2), i + i % 2);
        assert_int_equal(clg_narrow_bits(type, value + step * 0.499), i);
        assert_int_equal(clg_narrow_bits(type, value + step * 0.501), i + 1);
    }
    for (int i = most_finite() + 1; i < SIGN; i++)
        assert_true(i == most_finite() + 1 ? isinf(value_of(i)) : isnan(value_of(i)));
    assert_true(isnan(value_of(clg_narrow_bits(type, NAN))));
    assert_int_equal(clg_narrow_bits(type, HUGE_VAL), most_finite() + 1);
}

/* A product of all elements with 1, and C's old elements times 1, are unchanged: column-major and
 * row-major, as A, as B, and with enough rows that every family has vectors and edges. */
static void every_element_stays_itself(void **state) {
    static const int64_t rows[] = {ALL, 1, 256, 4096};
    static uint16_t all[ALL], sums[ALL], zeros[ALL], ones[ALL], c[ALL];
    (void)state;
    for (int i = 0; i < ALL; i++) {
        all[i] = (uint16_t)i;
        sums[i] = plus_zero(all[i]);
        ones[i] = clg_narrow_bits(type, 1);
    }
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        multiply(rows[r], 1, 1, 1, all, ones, 0, c);
        expect(c, sums, rows[r]);
        multiply(1, rows[r], 1, 1, ones, all, 0, c);
        expect(c, sums, rows[r]);
        memcpy(c, all, sizeof c);
        multiply(rows[r], ALL / rows[r], 1, 1, zeros, zeros, 1, c);
        expect(c, sums, ALL);
        memcpy(c, all, sizeof c);
        multiply(rows[r], ALL / rows[r], 0, 1, NULL, NULL, -1, c);
        for (int i = 0; i < ALL; i++)
            c[i] ^= SIGN;
        expect(c, all, ALL);
    }
}

/* A square of diagonals moves 256 columns of all elements through every step of a large product. */
static void every_element_passes_a_large_product(void **state) {
    enum { SIDE = 256 };
    static uint16_t all[ALL], sums[ALL], unit[ALL], c[ALL];
    (void)state;
    for (int i = 0; i < ALL; i++) {
        /* Infinities and NaN would spread over their columns and rows. */
        all[i] = (uint16_t)((i & ~SIGN) > most_finite() ? i & 1 : i);
        sums[i] = plus_zero(all[i]);
        unit[i] = i % (SIDE + 1) ? 0 : clg_narrow_bits(type, 1);
    }
    multiply(SIDE, SIDE, SIDE, 1, all, unit, 0, c);
    expect(c, sums, ALL);
    multiply(SIDE, SIDE, SIDE, 1, unit, all, 0, c);
    expect(c, sums, ALL);
}

/* Halfway between two elements, and a little to either side: element + 1/2 of the step to the next
 * one, as a sum of three products that is exact in floats. alpha scales what is too small for an
 * element. */
static void sums_are_rounded_to_even(void **state) {
    enum { K = 3 };
    static uint16_t a[K * ALL], b[K], wanted[ALL], c[ALL];
    const int digits = type == CLGEMM_F16 ? 10 : 7, bias = type == CLGEMM_F16 ? 15 : 127;
    int64_t m = 0;
    (void)state;
    /* Elements whose half steps and eighths of these are elements too. */
    for (int i = (digits + 6) << digits; i < most_finite(); i++)
        for (int side = -1; side <= 1 && m < ALL; side++, m++) {
            const double step = ldexp(1, (i >> digits) - bias - digits);
            a[m] = (uint16_t)i;
            a[m + ALL] = clg_narrow_bits(type, step / 2);
            a[m + 2 * ALL] = clg_narrow_bits(type, side * step / 16);
            wanted[m] = (uint16_t)(side < 0 ? i : side > 0 ? i + 1 : i + i % 2);
        }
    for (int l = 0; l < K; l++) {
        b[l] = clg_narrow_bits(type, 1);
        memmove(a + l * m, a + l * ALL, (size_t)m * sizeof *a);
    }
    multiply(m, 1, K, 1, a, b, 0, c);
    expect(c, wanted, m);
    multiply(m, 1, K, -1, a, b, 0, c);
    for (int64_t i = 0; i < m; i++)
        c[i] ^= SIGN;
    expect(c, wanted, m);
}

/* Past the largest element, among the subnormal ones, and below the smallest. */
static void what_is_too_large_or_small(void **state) {
    const int most = most_finite();
    const uint16_t one = clg_narrow_bits(type, 1), largest = (uint16_t)most,
                   infinite = (uint16_t)(most + 1), least = 1;
    const uint16_t a[] = {largest, (uint16_t)(largest | SIGN), least, (uint16_t)(3 * least)};
    const struct {
        float alpha;
        uint16_t wanted[4];
    } cases[] = {
        {1, {largest, (uint16_t)(largest | SIGN), 1, 3}},
        {2, {infinite, (uint16_t)(infinite | SIGN), 2, 6}},
        {-2, {(uint16_t)(infinite | SIGN), infinite, 2 | SIGN, 6 | SIGN}},
        {0.5F, {0, 0, 0, 2}}, /* ties: to 0, and from 1.5 up to 2 */
        {0.75F, {0, 0, 1, 2}},
        {0.25F, {0, 0, 0, 1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint16_t c[4] = {0};
        multiply(4, 1, 1, cases[i].alpha, a, &one, 0, c);
        for (int e = cases[i].wanted[0] ? 0 : 2; e < 4; e++)
            if (c[e] != cases[i].wanted[e])
                fail_msg("%s: alpha %g, element %d: %#x, not %#x", clg_types[type].name,
                         (double)cases[i].alpha, e, c[e], cases[i].wanted[e]);
    }
    /* The largest, half a step more, half a step less, and next to these. */
    const int digits = type == CLGEMM_F16 ? 10 : 7;
    const double step = value_of(most) - value_of(most - 1);
    const uint16_t sum[] = {largest, clg_narrow_bits(type, step / 2),
                            clg_narrow_bits(type, ldexp(step, -digits))};
    const uint16_t with[][3] = {{one, 0, 0}, {one, one, 0}, {one, one, (uint16_t)(one | SIGN)}};
    const uint16_t wanted[] = {largest, infinite, largest};
    for (int i = 0; i < 3; i++) {
        uint16_t c = 0;
        multiply(1, 1, 3, 1, sum, with[i], 0, &c);
        assert_int_equal(c, wanted[i]);
    }
}

/* C is rounded once, whatever k: an even number of half steps adds up to whole ones. Rounded one by
 * one, they would vanish. */
static void deep_sums_are_rounded_once(void **state) {
    enum { K = 5000, M = 40, N = 30 };
    static uint16_t a[M * K], b[K * N], c[M * N], wanted[M * N];
    const int digits = type == CLGEMM_F16 ? 10 : 7;
    (void)state;
    for (int l = 0; l < K; l++)
        for (int i = 0; i < M || i < N; i++) {
            if (i < M)
                a[i + l * M] = clg_narrow_bits(type, l ? ldexp(1, -digits - 2) : 1);
            if (i < N)
                b[l + i * K] = clg_narrow_bits(type, 1);
        }
    for (int e = 0; e < M * N; e++)
        wanted[e] = clg_narrow_bits(type, 1 + (K - 1) * ldexp(1, -digits - 2));
    multiply(M, N, K, 1, a, b, 0, c);
    expect(c, wanted, (int64_t)M * N);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_knows_every_element),
        cmocka_unit_test(every_element_stays_itself),
        cmocka_unit_test(every_element_passes_a_large_product),
        cmocka_unit_test(sums_are_rounded_to_even),
        cmocka_unit_test(what_is_too_large_or_small),
        cmocka_unit_test(deep_sums_are_rounded_once),
    };
    int failed = 0;
    clg_test_require_device();
    for (type = CLGEMM_F16; type <= CLGEMM_BF16; type++)
        failed += cmocka_run_group_tests_name(clg_types[type].name, tests, NULL, NULL);
    clgemm_clear_cache();
    return failed;
}
