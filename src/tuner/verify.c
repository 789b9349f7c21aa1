/* SPDX-License-Identifier: Apache-2.0
 * Checks the C of a candidate. The bound is that of docs/testing.md. */
#include "src/tuner/verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/format.h"
#include "src/common/rounding.h"

enum { SAMPLES = 2048, CORNERS = 4 };

enum { ELEMENTS_OF_CANARY = 2 }; /* for elements of 16 bits */

static uint64_t random_below(uint64_t *state, int64_t below) {
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (*state >> 16) % (uint64_t)below;
}

/* The row and column of sample `s`. */
static void choose(const struct clg_reference *r, size_t s, uint64_t *state, int64_t *i,
                   int64_t *j) {
    if ((double)r->m * (double)r->n <= SAMPLES) {
        *i = (int64_t)s % r->m;
        *j = (int64_t)s / r->m;
    } else if (s < CORNERS) {
        *i = s & 1 ? r->m - 1 : 0;
        *j = s & 2 ? r->n - 1 : 0;
    } else {
        *i = (int64_t)random_below(state, r->m);
        *j = (int64_t)random_below(state, r->n);
    }
}

/* Column j of the batch is column j % n of product j / n. The least normal number in the bound is
 * for devices that flush subnormal results to zero. */
static void judge(struct clg_reference *r, size_t s, const struct clg_problem *p, const void *a,
                  const void *b, int64_t i, int64_t j) {
    const struct clg_matrix *ma = &p->matrix[CLG_A], *mb = &p->matrix[CLG_B];
    const int64_t a_step = ma->transposed ? 1 : ma->ld, b_step = mb->transposed ? mb->ld : 1;
    const int64_t z = j / p->n;
    const int64_t row = ma->offset + z * ma->stride + i * (ma->transposed ? ma->ld : 1);
    const int64_t column = mb->offset + z * mb->stride + j % p->n * (mb->transposed ? 1 : mb->ld);
    struct clg_wide sum = {0, 0};
    double magnitude = 0;
    for (int64_t l = 0; l < p->k; l++) {
        const double x = clg_element(p->type, a, row + l * a_step);
        const double y = clg_element(p->type, b, column + l * b_step);
        clg_wide_add_product(&sum, x, y);
        magnitude += fabs(x * y);
    }
    r->at[s] = CLG_VERIFY_GUARD + i + j * r->ld;
    r->expected[s] = sum.high;
    r->rest[s] = sum.low;
    r->bound[s] =
        ((double)p->k + 2) * clg_roundoff(p->type) * magnitude + clg_least_normal(p->type);
}

bool clg_reference_create(struct clg_reference *out, const struct clg_problem *p, const void *a,
                          const void *b) {
    const int64_t columns = p->n * p->batch;
    const double elements = (double)p->m * (double)columns;
    const size_t count = elements <= SAMPLES ? (size_t)elements : CORNERS + SAMPLES;
    uint64_t state = 1;
    *out = (struct clg_reference){.type = p->type,
                                  .m = p->m,
                                  .n = columns,
                                  .ld = p->matrix[CLG_C].ld,
                                  .length = (size_t)clg_round_up(p->matrix[CLG_C].ld * columns +
                                                                     2 * (int64_t)CLG_VERIFY_GUARD,
                                                                 ELEMENTS_OF_CANARY),
                                  .count = count,
                                  .at = calloc(count, sizeof *out->at),
                                  .expected = calloc(count, sizeof *out->expected),
                                  .rest = calloc(count, sizeof *out->rest),
                                  .bound = calloc(count, sizeof *out->bound)};
    if (!out->at || !out->expected || !out->rest || !out->bound)
        return false;
    for (size_t s = 0; s < count; s++) {
        int64_t i, j;
        choose(out, s, &state, &i, &j);
        judge(out, s, p, a, b, i, j);
    }
    return true;
}

void clg_reference_release(struct clg_reference *reference) {
    free(reference->at);
    free(reference->expected);
    free(reference->rest);
    free(reference->bound);
    *reference = (struct clg_reference){0};
}

/* The number of halves of a canary in `elements` elements. */
static size_t halves_of(clgemm_type type, int64_t elements) {
    return (size_t)elements * clg_type_size(type) / sizeof(uint16_t);
}

static uint16_t half_of_canary(size_t i) {
    const uint32_t canary = CLG_VERIFY_CANARY;
    uint16_t halves[2];
    memcpy(halves, &canary, sizeof halves);
    return halves[i % 2];
}

/* Whether elements [from, to) still have their canaries. */
static bool is_untouched(const struct clg_reference *r, const void *c, int64_t from, int64_t to,
                         char *why, size_t room) {
    const size_t end = halves_of(r->type, to);
    for (size_t i = halves_of(r->type, from); i < end; i++) {
        uint16_t bits;
        memcpy(&bits, (const char *)c + i * sizeof bits, sizeof bits);
        if (bits != half_of_canary(i)) {
            snprintf(why, room, "memory outside C was written, %" PRId64 " elements from its start",
                     (int64_t)(i / halves_of(r->type, 1)) - CLG_VERIFY_GUARD);
            return false;
        }
    }
    return true;
}

static bool is_whole(const struct clg_reference *r, const void *c, char *why, size_t room) {
    const int64_t end = (int64_t)r->length;
    if (!is_untouched(r, c, 0, CLG_VERIFY_GUARD, why, room) ||
        !is_untouched(r, c, end - CLG_VERIFY_GUARD, end, why, room))
        return false;
    for (int64_t j = 0; j < r->n; j++) {
        const int64_t column = CLG_VERIFY_GUARD + j * r->ld;
        for (int64_t i = 0; i < r->m; i++)
            if (isnan(clg_element(r->type, c, column + i))) {
                snprintf(why, room, "C(%" PRId64 ", %" PRId64 ") is NaN, or was not written", i, j);
                return false;
            }
        if (!is_untouched(r, c, column + r->m, column + r->ld, why, room))
            return false;
    }
    return true;
}

bool clg_reference_accepts(const struct clg_reference *r, const void *c, char *why, size_t room) {
    if (!is_whole(r, c, why, room))
        return false;
    for (size_t s = 0; s < r->count; s++) {
        const double found = clg_element(r->type, c, r->at[s]);
        if (!clg_element_is_near(r->type, found, r->expected[s], r->rest[s], r->bound[s])) {
            const int64_t at = r->at[s] - CLG_VERIFY_GUARD;
            clg_format(why, room, "C(%" PRId64 ", %" PRId64 ") = %.17g, not %.17g +- %.2g",
                       at % r->ld, at / r->ld, found, r->expected[s], r->bound[s]);
            return false;
        }
    }
    return true;
}
