/* SPDX-License-Identifier: Apache-2.0
 * The judge: every element of small problems, a random sample of large ones, in double precision;
 * and the whole matrix more loosely, so that no tile stays unseen. */
#include "bench/verify.h"

#include <cblas.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Unit roundoff of single precision. */
#define U 0x1p-24

/* Up to here every element is judged in double. */
#define ALL_PRODUCTS 0x1p25
#define ALL_ELEMENTS 0x1p20

/* What an element may be off: k products and sums, alpha, and beta * C. FLT_MIN is for devices
 * that flush subnormal results to zero. */
static double error_bound(const struct problem *p, double sum_of_products, double c_start) {
    double bound = ((double)p->shape.k + 2) * U * fabs(p->alpha) * sum_of_products + FLT_MIN;
    return p->beta == 0 ? bound : bound + 2 * U * fabs(p->beta * c_start);
}

static bool judges_all(const struct problem *p) {
    return (double)p->c_count * (double)p->shape.k <= ALL_PRODUCTS &&
           (double)p->c_count <= ALL_ELEMENTS;
}

static size_t judged_count(const struct problem *p) {
    return judges_all(p) || !p->c_count ? p->c_count : VERIFY_ELEMENTS;
}

double judge_bytes(const struct problem *p) {
    return (double)judged_count(p) * 32 + 4.0 * (double)p->c_count +
           8.0 * ((double)p->shape.m + (double)p->shape.n);
}

/* Which elements: all, or the corners and then any. */
static void choose_elements(struct judge *judge, const struct problem *p) {
    int64_t m = p->shape.m, n = p->shape.n;
    uint64_t state = PROBLEM_SEED;
    for (size_t e = 0; e < judge->count; e++) {
        if (judges_all(p)) {
            judge->i[e] = (int64_t)e / n;
            judge->j[e] = (int64_t)e % n;
        } else if (e < 4) {
            judge->i[e] = e & 1 ? m - 1 : 0;
            judge->j[e] = e & 2 ? n - 1 : 0;
        } else {
            state = state * 6364136223846793005u + 1442695040888963407u;
            judge->i[e] = (int64_t)((state >> 16) % (uint64_t)m);
            state = state * 6364136223846793005u + 1442695040888963407u;
            judge->j[e] = (int64_t)((state >> 16) % (uint64_t)n);
        }
    }
}

static void judge_element(struct judge *judge, const struct problem *p, size_t e) {
    const float *a = p->a + judge->i[e] * p->a_i, *b = p->b + judge->j[e] * p->b_j;
    double sum = 0, magnitude = 0;
    for (int64_t l = 0; l < p->shape.k; l++) {
        double product = (double)a[l * p->a_l] * (double)b[l * p->b_l];
        sum += product;
        magnitude += fabs(product);
    }
    double start = problem_c_start(p, (size_t)(judge->i[e] * p->c_i + judge->j[e] * p->c_j));
    judge->expected[e] = p->alpha * sum + (p->beta == 0 ? 0 : p->beta * start);
    judge->bound[e] = error_bound(p, magnitude, start);
}

/* Lengths of `lines` vectors of `depth` elements, walking memory in its order. */
static void find_lengths(const float *x, int64_t lines, int64_t line_step, int64_t depth,
                         int64_t depth_step, double *length) {
    bool line_by_line = depth_step == 1;
    int64_t outer = line_by_line ? lines : depth, inner = line_by_line ? depth : lines;
    int64_t outer_step = line_by_line ? line_step : depth_step;
    for (int64_t i = 0; i < lines; i++)
        length[i] = 0;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            double value = x[o * outer_step + i];
            length[line_by_line ? o : i] += value * value;
        }
    for (int64_t i = 0; i < lines; i++)
        length[i] = sqrt(length[i]);
}

static void compute_reference(struct judge *judge, const struct problem *p) {
    problem_start_c(p, judge->reference);
    cblas_sgemm((enum CBLAS_ORDER)p->layout, (enum CBLAS_TRANSPOSE)p->ta,
                (enum CBLAS_TRANSPOSE)p->tb, (blasint)p->shape.m, (blasint)p->shape.n,
                (blasint)p->shape.k, p->alpha, p->a, (blasint)p->lda, p->b, (blasint)p->ldb,
                p->beta, judge->reference, (blasint)p->ldc);
}

static void *new_array(size_t count, size_t size) {
    return calloc(count ? count : 1, size);
}

bool judge_create(struct judge *judge, const struct problem *p, char *why, size_t room) {
    size_t count = judged_count(p);
    *judge = (struct judge){.count = count,
                            .i = new_array(count, sizeof *judge->i),
                            .j = new_array(count, sizeof *judge->j),
                            .expected = new_array(count, sizeof *judge->expected),
                            .bound = new_array(count, sizeof *judge->bound),
                            .a_length = new_array((size_t)p->shape.m, sizeof *judge->a_length),
                            .b_length = new_array((size_t)p->shape.n, sizeof *judge->b_length)};
    bool fits = p->shape.m <= INT_MAX && p->shape.n <= INT_MAX && p->shape.k <= INT_MAX;
    if (fits)
        judge->reference = malloc((p->c_count ? p->c_count : 1) * sizeof(float));
    if (!judge->i || !judge->j || !judge->expected || !judge->bound || !judge->a_length ||
        !judge->b_length || (fits && !judge->reference)) {
        snprintf(why, room, "out of host memory to check the result with");
        return false;
    }
    choose_elements(judge, p);
    for (size_t e = 0; e < count; e++)
        judge_element(judge, p, e);
    find_lengths(p->a, p->shape.m, p->a_i, p->shape.k, p->a_l, judge->a_length);
    find_lengths(p->b, p->shape.n, p->b_j, p->shape.k, p->b_l, judge->b_length);
    if (fits)
        compute_reference(judge, p);
    return true;
}

void judge_release(struct judge *judge) {
    free(judge->i);
    free(judge->j);
    free(judge->expected);
    free(judge->bound);
    free(judge->a_length);
    free(judge->b_length);
    free(judge->reference);
    *judge = (struct judge){0};
}

/* Written so that NaN is refused. */
static bool is_near(double value, double expected, double bound, int64_t i, int64_t j, char *why,
                    size_t room) {
    if (fabs(value - expected) <= bound)
        return true;
    snprintf(why, room, "C(%" PRId64 ", %" PRId64 ") = %.9g, not %.9g +- %.2g", i, j, value,
             expected, bound);
    return false;
}

/* Both results may be off by the bound, hence twice. */
static bool agrees_with_reference(const struct judge *judge, const struct problem *p,
                                  const float *c, char *why, size_t room) {
    bool row_major = p->layout == CLGEMM_ROW_MAJOR;
    int64_t outer = row_major ? p->shape.m : p->shape.n,
            inner = row_major ? p->shape.n : p->shape.m;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t x = 0; x < inner; x++) {
            int64_t i = row_major ? o : x, j = row_major ? x : o;
            size_t at = (size_t)(i * p->c_i + j * p->c_j);
            double start = p->beta == 0 ? 0 : problem_c_start(p, at);
            double bound = 2 * error_bound(p, judge->a_length[i] * judge->b_length[j], start);
            if (!is_near(c[at], judge->reference[at], bound, i, j, why, room))
                return false;
        }
    return true;
}

bool judge_accepts(const struct judge *judge, const struct problem *p, const float *c, char *why,
                   size_t room) {
    for (size_t e = 0; e < judge->count; e++) {
        size_t at = (size_t)(judge->i[e] * p->c_i + judge->j[e] * p->c_j);
        if (!is_near(c[at], judge->expected[e], judge->bound[e], judge->i[e], judge->j[e], why,
                     room))
            return false;
    }
    return !judge->reference || agrees_with_reference(judge, p, c, why, room);
}
