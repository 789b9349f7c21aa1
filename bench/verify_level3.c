/* SPDX-License-Identifier: Apache-2.0
 * Judges the routines other than gemm by their definitions, with about twice the bits of a double.
 * An element of C is judged in each of up to 64 x 64 blocks, so that no tile is missed, and each
 * element of small problems. Solutions are judged by their residual, op(A) X - alpha B. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "bench/verify.h"

#define ALL_PRODUCTS 0x1p25 /* up to here all elements are judged */
enum { BLOCKS = 64 };

static struct factor number(const struct problem *p, const void *x, int64_t at, bool conjugated) {
    const int parts = clg_type_parts(p->type);
    const double im = parts > 1 ? clg_element(p->type, x, at * parts + 1) : 0;
    return (struct factor){clg_element(p->type, x, at * parts), conjugated ? -im : im};
}

/* ---- The matrices as the definitions have them ---- */

static bool is_stored(const struct problem *p, int64_t i, int64_t j) {
    return p->uplo == CLGEMM_LOWER ? i >= j : i <= j;
}

/* Of op(A), or of the whole symmetric or triangular matrix. */
static struct factor a_at(const struct problem *p, int64_t i, int64_t l, int64_t z) {
    const bool turned = p->ta != CLGEMM_NO_TRANS, hermitian = problem_is_hermitian(p->routine);
    const bool stored = turned ? is_stored(p, l, i) : is_stored(p, i, l);
    if (problem_is_triangular(p->routine) && !stored)
        return (struct factor){0, 0};
    const bool mirrored = problem_is_symmetric(p->routine) && !stored;
    const int64_t row = mirrored ? l : i, column = mirrored ? i : l;
    struct factor value = number(p, p->a, row * p->a_i + column * p->a_l + z * p->a_z,
                                 p->ta == CLGEMM_CONJ_TRANS || (mirrored && hermitian));
    if (hermitian && problem_is_symmetric(p->routine) && i == l)
        value.im = 0;
    return value;
}

static struct factor b_at(const struct problem *p, int64_t i, int64_t j, int64_t z) {
    return number(p, p->b, i * p->b_l + j * p->b_j + z * p->b_z, p->ta == CLGEMM_CONJ_TRANS);
}

static int64_t place_of(const struct problem *p, int64_t i, int64_t j, int64_t z) {
    return i * p->c_i + j * p->c_j + z * p->c_z;
}

/* Of C before the call. */
static struct factor old_at(const struct problem *p, int64_t i, int64_t j, int64_t z) {
    const int parts = clg_type_parts(p->type);
    const int64_t at = place_of(p, i, j, z) * parts;
    const bool is_real =
        parts == 1 || (i == j && problem_is_rank(p->routine) && problem_is_hermitian(p->routine));
    return (struct factor){problem_c_start(p, at), is_real ? 0 : problem_c_start(p, at + 1)};
}

/* ---- Sums ---- */

struct sum {
    struct clg_wide re, im;
    double magnitude;
};

static double size_of(struct factor x) {
    return fabs(x.re) + fabs(x.im);
}

static void add(struct sum *sum, struct factor x, struct factor y) {
    clg_wide_add_product(&sum->re, x.re, y.re);
    clg_wide_add_product(&sum->re, -x.im, y.im);
    clg_wide_add_product(&sum->im, x.re, y.im);
    clg_wide_add_product(&sum->im, x.im, y.re);
    sum->magnitude += size_of(x) * size_of(y);
}

/* Adds the factor times a sum. */
static void add_sum(struct sum *to, struct factor factor, const struct sum *sum) {
    add(to, factor, (struct factor){sum->re.high, sum->im.high});
    add(to, factor, (struct factor){sum->re.low, sum->im.low});
    to->magnitude += size_of(factor) * sum->magnitude;
}

static struct factor conjugate(struct factor x, bool conjugates) {
    return (struct factor){x.re, conjugates ? -x.im : x.im};
}

/* The l-th terms of element (i, j), without factors: `other` is the second product of syr2k and
 * her2k. In trmm and trsm C's columns, from the right its rows, are multiplied. */
static void add_terms(struct sum *sum, struct sum *other, const struct problem *p, const void *c,
                      int64_t i, int64_t j, int64_t l, int64_t z) {
    const bool left = p->side == CLGEMM_LEFT, conjugates = problem_is_hermitian(p->routine);
    const int64_t row = left ? l : i, column = left ? j : l;
    if (problem_has_side(p->routine)) {
        const struct factor a = left ? a_at(p, i, l, z) : a_at(p, l, j, z);
        add(sum, a,
            problem_is_symmetric(p->routine) ? b_at(p, row, column, z)
            : p->routine == CLGEMM_TRMM      ? old_at(p, row, column, z)
                                             : number(p, c, place_of(p, row, column, z), false));
    } else if (problem_has_b(p->routine)) {
        add(sum, a_at(p, i, l, z), conjugate(b_at(p, j, l, z), conjugates));
        add(other, b_at(p, i, l, z), conjugate(a_at(p, j, l, z), conjugates));
    } else {
        add(sum, a_at(p, i, l, z), conjugate(a_at(p, j, l, z), conjugates));
    }
}

/* How far element (i, j) is off, and how far it may be. A residual's magnitude is also that of
 * its terms, so that both are judged alike. */
static double error_of(const struct problem *p, const void *c, int64_t i, int64_t j, int64_t z,
                       double *magnitude, double *bound) {
    const bool solves = p->routine == CLGEMM_TRSM;
    const struct factor one = {1, 0}, minus = {-1, 0};
    struct sum sum = {0}, other = {0}, off = {0};
    for (int64_t l = 0; l < p->shape.k; l++)
        add_terms(&sum, &other, p, c, i, j, l, z);
    add_sum(&off, solves ? one : p->alpha, &sum);
    add_sum(&off, conjugate(p->alpha, problem_is_hermitian(p->routine)), &other);
    if (solves || (problem_reads_c(p) && p->routine != CLGEMM_TRMM))
        add(&off, solves ? (struct factor){-p->alpha.re, -p->alpha.im} : p->beta,
            old_at(p, i, j, z));
    *magnitude = off.magnitude;
    /* Products and sums of a row, both factors, and a rounding for each halving. */
    *bound = ((double)(p->shape.k * clg_type_parts(p->type)) + 48) * clg_roundoff(p->type) *
                 off.magnitude +
             clg_least_normal(p->type);
    if (!solves)
        add(&off, minus, number(p, c, place_of(p, i, j, z), false));
    return fmax(fabs(off.re.high + off.re.low), fabs(off.im.high + off.im.low));
}

/* What the routine must not write. */
static bool is_untouched(const struct problem *p, const void *c, int64_t at) {
    for (int part = 0; part < clg_type_parts(p->type); part++) {
        const int64_t number_at = at * clg_type_parts(p->type) + part;
        const double old = problem_c_start(p, number_at), now = clg_element(p->type, c, number_at);
        if (!(now == old || (isnan(now) && isnan(old))))
            return false;
    }
    return true;
}

static bool accepts_element(const struct problem *p, const void *c, int64_t i, int64_t j, int64_t z,
                            double *error, char *why, size_t room) {
    if (problem_is_rank(p->routine) && !is_stored(p, i, j)) {
        const bool untouched = is_untouched(p, c, place_of(p, i, j, z));
        if (!untouched)
            snprintf(why, room, "C(%" PRId64 ", %" PRId64 ") is outside the triangle and written",
                     i, j);
        return untouched;
    }
    double magnitude, bound;
    const double off = error_of(p, c, i, j, z, &magnitude, &bound);
    if (magnitude > 0 && !(off / magnitude <= *error))
        *error = off / magnitude;
    if (off <= bound) /* not if it is NaN */
        return true;
    snprintf(why, room,
             "C(%" PRId64 ", %" PRId64 ") of product %" PRId64 " is off by %.2g, not %.2g", i, j, z,
             off, bound);
    return false;
}

/* One of a block's elements: the first, the last, or any. */
static int64_t any_of(int64_t begin, int64_t end, uint64_t *state) {
    const uint64_t drawn = clg_random_mix(*state += CLG_RANDOM_STEP);
    const int64_t last = end - 1;
    return drawn % 8 == 0   ? begin
           : drawn % 8 == 1 ? last
                            : begin + (int64_t)(drawn / 8 % (uint64_t)(end - begin));
}

bool level3_accepts(const struct problem *p, const void *c, double *error, char *why, size_t room) {
    const int64_t m = p->shape.m, n = p->shape.n;
    const bool all = (double)p->c_count * (double)p->shape.k <= ALL_PRODUCTS;
    const int64_t rows = all || m < BLOCKS ? m : BLOCKS, columns = all || n < BLOCKS ? n : BLOCKS;
    uint64_t state = PROBLEM_SEED;
    bool right = true;
    *error = 0;
    for (int64_t z = 0; z < p->batch; z++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns && right; j++)
                right = accepts_element(p, c, any_of(i * m / rows, (i + 1) * m / rows, &state),
                                        any_of(j * n / columns, (j + 1) * n / columns, &state), z,
                                        error, why, room);
    return right;
}
