/* SPDX-License-Identifier: Apache-2.0
 * The judge. It checks every element of small problems and a random sample of large ones with about
 * twice the bits of a double, so that it can judge doubles too. It also checks the whole matrix
 * with a looser bound, so that no tile is missed. */
#include "bench/verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/peers/openblas.h"

/* Up to here every element is judged by itself. */
#define ALL_PRODUCTS 0x1p25
#define ALL_ELEMENTS 0x1p20

/* How far a multiplied operand may differ from the given one, relative to its magnitude; 0 if it is
 * the same. */
static double operand_roundoff(const struct problem *p) {
    return p->type != CLGEMM_F32         ? 0
           : p->math == CLGEMM_MATH_TF32 ? 0x1p-11
           : p->math == CLGEMM_MATH_F16  ? 0x1p-11
           : p->math == CLGEMM_MATH_BF16 ? 0x1p-8
                                         : 0;
}

/* ---- Complex matrices as real ones ----
 * Rows of A and C count numbers: those of an element are (re -im; im re) in A, and (re; im) in B
 * and C, whose k is twice as long. All others are as they are. */

static double number_of_a(const struct problem *p, int64_t i, int64_t l, int64_t z) {
    const int parts = clg_type_parts(p->type);
    const bool turned = l % parts;
    const int part = (int)(i % parts) ^ turned;
    const int64_t at = i / parts * p->a_i + l / parts * p->a_l + z * p->a_z;
    const double value = clg_element(p->type, p->a, at * parts + part);
    return part && turned != (p->ta == CLGEMM_CONJ_TRANS) ? -value : value;
}

static double number_of_b(const struct problem *p, int64_t l, int64_t j, int64_t z) {
    const int parts = clg_type_parts(p->type);
    const int64_t at = l / parts * p->b_l + j * p->b_j + z * p->b_z;
    const double value = clg_element(p->type, p->b, at * parts + l % parts);
    return l % parts && p->tb == CLGEMM_CONJ_TRANS ? -value : value;
}

static int64_t place_in_c(const struct problem *p, int64_t i, int64_t j, int64_t z) {
    const int parts = clg_type_parts(p->type);
    return (i / parts * p->c_i + j * p->c_j + z * p->c_z) * parts + i % parts;
}

static int64_t rows_of(const struct problem *p) {
    return p->shape.m * clg_type_parts(p->type);
}

static int64_t depth_of(const struct problem *p) {
    return p->shape.k * clg_type_parts(p->type);
}

/* By what row i of C takes the other number of a complex element; its own takes the real part. */
static double other_factor(struct factor factor, int64_t i) {
    return i % 2 ? factor.im : -factor.im;
}

/* An element's error bound, from magnitudes of alpha A B and beta C: k products and sums, and both
 * factors. The least normal value allows for devices that flush subnormal results to zero. */
static double error_bound(const struct problem *p, double products, double c_start) {
    const double u = clg_roundoff(p->type), round = operand_roundoff(p);
    const double factors = 2 * clg_type_parts(p->type); /* a complex one is twice the operations */
    const double relative = ((double)depth_of(p) + factors) * u + 2 * round + round * round;
    return relative * products + factors * u * c_start + clg_least_normal(p->type);
}

static bool judges_all(const struct problem *p) {
    return (double)p->c_count * (double)p->shape.k <= ALL_PRODUCTS &&
           (double)p->c_count <= ALL_ELEMENTS;
}

static size_t judged_count(const struct problem *p) {
    return p->routine                     ? 0
           : judges_all(p) || !p->c_count ? p->c_count * (size_t)clg_type_parts(p->type)
                                          : VERIFY_ELEMENTS;
}

double judge_bytes(const struct problem *p) {
    return (double)judged_count(p) * 48 + (double)problem_c_bytes(p) +
           8.0 * (double)p->batch * ((double)p->shape.m + (double)p->shape.n);
}

static int64_t any_below(int64_t end, uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((*state >> 16) % (uint64_t)end);
}

/* The elements to judge: all, or the corners of the first and the last product, and then random
 * ones. */
static void choose_elements(struct judge *judge, const struct problem *p) {
    int64_t m = rows_of(p), n = p->shape.n;
    uint64_t state = PROBLEM_SEED;
    for (size_t e = 0; e < judge->count; e++) {
        if (judges_all(p)) {
            judge->i[e] = (int64_t)e / n % m;
            judge->j[e] = (int64_t)e % n;
            judge->z[e] = (int64_t)e / n / m;
        } else if (e < 8) {
            judge->i[e] = e & 1 ? m - 1 : 0;
            judge->j[e] = e & 2 ? n - 1 : 0;
            judge->z[e] = e & 4 ? p->batch - 1 : 0;
        } else {
            judge->i[e] = any_below(m, &state);
            judge->j[e] = any_below(n, &state);
            judge->z[e] = any_below(p->batch, &state);
        }
    }
}

/* Adds the factor times the row's number of A B, and returns its magnitude. */
static double add_product(struct clg_wide *expected, const struct problem *p, double factor,
                          int64_t i, int64_t j, int64_t z) {
    struct clg_wide sum = {0};
    double magnitude = 0;
    for (int64_t l = 0; l < depth_of(p) && factor != 0; l++) {
        const double a = number_of_a(p, i, l, z), b = number_of_b(p, l, j, z);
        clg_wide_add_product(&sum, a, b);
        magnitude += fabs(a * b);
    }
    clg_wide_add_product(expected, factor, sum.high);
    clg_wide_add_product(expected, factor, sum.low);
    return fabs(factor) * magnitude;
}

/* The same of C before the call. */
static double add_old(struct clg_wide *expected, const struct problem *p, double factor, int64_t i,
                      int64_t j, int64_t z) {
    const double start = factor != 0 ? problem_c_start(p, place_in_c(p, i, j, z)) : 0;
    clg_wide_add_product(expected, factor, start);
    return fabs(factor * start);
}

static double add_all_old(struct clg_wide *expected, const struct problem *p, int64_t i, int64_t j,
                          int64_t z) {
    return add_old(expected, p, p->beta.re, i, j, z) +
           add_old(expected, p, other_factor(p->beta, i), i ^ 1, j, z);
}

static void judge_element(struct judge *judge, const struct problem *p, size_t e) {
    const int64_t i = judge->i[e], j = judge->j[e], z = judge->z[e];
    struct clg_wide *expected = &judge->expected[e];
    judge->magnitude[e] = add_product(expected, p, p->alpha.re, i, j, z) +
                          add_product(expected, p, other_factor(p->alpha, i), i ^ 1, j, z);
    judge->bound[e] = error_bound(p, judge->magnitude[e], add_all_old(expected, p, i, j, z));
}

/* Lengths of `lines` vectors of `depth` elements, in the order of memory. */
static void find_lengths(clgemm_type type, const void *x, int64_t lines, int64_t line_step,
                         int64_t depth, int64_t depth_step, double *length) {
    bool line_by_line = depth_step == 1;
    int64_t outer = line_by_line ? lines : depth, inner = line_by_line ? depth : lines;
    int64_t outer_step = line_by_line ? line_step : depth_step;
    for (int64_t i = 0; i < lines; i++)
        length[i] = 0;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            const int parts = clg_type_parts(type);
            for (int part = 0; part < parts; part++) {
                const double value = clg_element(type, x, (o * outer_step + i) * parts + part);
                length[line_by_line ? o : i] += value * value;
            }
        }
    for (int64_t i = 0; i < lines; i++)
        length[i] = sqrt(length[i]);
}

static void *new_array(size_t count, size_t size) {
    return calloc(count ? count : 1, size);
}

/* For `lines` vectors of each product. */
static double *new_lengths(const struct problem *p, int64_t lines) {
    return new_array((size_t)p->batch * (size_t)lines, sizeof(double));
}

bool judge_create(struct judge *judge, const struct problem *p, char *why, size_t room) {
    size_t count = judged_count(p);
    *judge = (struct judge){.count = count,
                            .i = new_array(count, sizeof *judge->i),
                            .j = new_array(count, sizeof *judge->j),
                            .z = new_array(count, sizeof *judge->z),
                            .expected = new_array(count, sizeof *judge->expected),
                            .bound = new_array(count, sizeof *judge->bound),
                            .magnitude = new_array(count, sizeof *judge->magnitude),
                            .a_length = new_lengths(p, p->shape.m),
                            .b_length = new_lengths(p, p->shape.n)};
    const bool fits = openblas_takes(p) && !p->routine;
    if (fits)
        judge->reference = new_array(p->c_count, clg_type_size(p->type));
    if (!judge->i || !judge->j || !judge->z || !judge->expected || !judge->bound ||
        !judge->magnitude || !judge->a_length || !judge->b_length || (fits && !judge->reference)) {
        snprintf(why, room, "out of host memory to check the result with");
        return false;
    }
    choose_elements(judge, p);
    for (size_t e = 0; e < count; e++)
        judge_element(judge, p, e);
    for (int64_t z = 0; z < p->batch && !p->routine; z++) {
        find_lengths(p->type, clg_element_at(p->type, p->a, z * p->a_z), p->shape.m, p->a_i,
                     p->shape.k, p->a_l, judge->a_length + z * p->shape.m);
        find_lengths(p->type, clg_element_at(p->type, p->b, z * p->b_z), p->shape.n, p->b_j,
                     p->shape.k, p->b_l, judge->b_length + z * p->shape.n);
    }
    if (fits) {
        problem_start_c(p, judge->reference);
        openblas_run(p, judge->reference);
    }
    return true;
}

void judge_release(struct judge *judge) {
    free(judge->i);
    free(judge->j);
    free(judge->z);
    free(judge->expected);
    free(judge->bound);
    free(judge->magnitude);
    free(judge->a_length);
    free(judge->b_length);
    free(judge->reference);
    *judge = (struct judge){0};
}

/* Whether element (i, j) of product z's C is right. Written so that NaN is not. */
static bool is_near(const struct problem *p, const void *c, int64_t i, int64_t j, int64_t z,
                    struct clg_wide expected, double bound, char *why, size_t room) {
    const double value = clg_element(p->type, c, place_in_c(p, i, j, z));
    const int digits = element_of(p->type)->digits;
    if (clg_element_is_near(p->type, value, expected.high, expected.low, bound))
        return true;
    char product[40] = "";
    if (p->batch > 1)
        snprintf(product, sizeof product, " of product %" PRId64, z);
    snprintf(why, room, "C(%" PRId64 ", %" PRId64 ")%s = %.*g, not %.*g +- %.2g", i, j, product,
             digits, value, digits, expected.high + expected.low, bound);
    return false;
}

/* Both results may be off by the bound, hence twice. */
static bool agrees_with_reference(const struct judge *judge, const struct problem *p, int64_t z,
                                  const void *c, char *why, size_t room) {
    bool row_major = p->layout == CLGEMM_ROW_MAJOR;
    int64_t outer = row_major ? rows_of(p) : p->shape.n,
            inner = row_major ? p->shape.n : rows_of(p);
    const double *a_length = judge->a_length + z * p->shape.m,
                 *b_length = judge->b_length + z * p->shape.n;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t x = 0; x < inner; x++) {
            int64_t i = row_major ? o : x, j = row_major ? x : o;
            int64_t at = place_in_c(p, i, j, z);
            struct clg_wide old = {0};
            const double products = a_length[i / clg_type_parts(p->type)] * b_length[j];
            const double bound =
                2 * error_bound(p, (fabs(p->alpha.re) + fabs(p->alpha.im)) * products,
                                add_all_old(&old, p, i, j, z));
            const struct clg_wide expected = {clg_element(p->type, judge->reference, at), 0};
            if (!is_near(p, c, i, j, z, expected, bound, why, room))
                return false;
        }
    return true;
}

static double largest_error(const struct judge *judge, const struct problem *p, const void *c) {
    double largest = 0;
    for (size_t e = 0; e < judge->count; e++) {
        const int64_t at = place_in_c(p, judge->i[e], judge->j[e], judge->z[e]);
        const struct clg_wide expected = judge->expected[e];
        const double off = fabs((clg_element(p->type, c, at) - expected.high) - expected.low);
        if (judge->magnitude[e] > 0 && !(off / judge->magnitude[e] <= largest))
            largest = off / judge->magnitude[e];
    }
    return largest;
}

bool judge_accepts(const struct judge *judge, const struct problem *p, const void *c, double *error,
                   char *why, size_t room) {
    double largest = 0;
    error = error ? error : &largest;
    if (p->routine)
        return level3_accepts(p, c, error, why, room);
    *error = largest_error(judge, p, c);
    for (size_t e = 0; e < judge->count; e++)
        if (!is_near(p, c, judge->i[e], judge->j[e], judge->z[e], judge->expected[e],
                     judge->bound[e], why, room))
            return false;
    for (int64_t z = 0; z < p->batch && judge->reference; z++)
        if (!agrees_with_reference(judge, p, z, c, why, room))
            return false;
    return true;
}
