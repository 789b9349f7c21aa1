/* SPDX-License-Identifier: Apache-2.0
 * Judges what a candidate made of C. The bound is that of docs/testing.md. */
#include "tune/verify.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 2048, CORNERS = 4 };

static uint64_t random_below(uint64_t *state, int64_t below) {
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (*state >> 16) % (uint64_t)below;
}

/* Which element the sample `s` is. */
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

/* FLT_MIN is for devices that flush subnormal results to zero. */
static void judge(struct clg_reference *r, size_t s, const struct clg_problem *p, const float *a,
                  const float *b, int64_t i, int64_t j) {
    const struct clg_matrix *ma = &p->matrix[CLG_A], *mb = &p->matrix[CLG_B];
    const int64_t a_step = ma->transposed ? 1 : ma->ld, b_step = mb->transposed ? mb->ld : 1;
    const float *row = a + ma->offset + i * (ma->transposed ? ma->ld : 1);
    const float *column = b + mb->offset + j * (mb->transposed ? 1 : mb->ld);
    double sum = 0, magnitude = 0;
    for (int64_t l = 0; l < p->k; l++) {
        const double product = (double)row[l * a_step] * (double)column[l * b_step];
        sum += product;
        magnitude += fabs(product);
    }
    r->at[s] = CLG_VERIFY_GUARD + i + j * r->ld;
    r->expected[s] = sum;
    r->bound[s] = ((double)p->k + 2) * CLG_VERIFY_ROUNDOFF * magnitude + FLT_MIN;
}

bool clg_reference_create(struct clg_reference *out, const struct clg_problem *p, const float *a,
                          const float *b) {
    const double elements = (double)p->m * (double)p->n;
    const size_t count = elements <= SAMPLES ? (size_t)elements : CORNERS + SAMPLES;
    uint64_t state = 1;
    *out = (struct clg_reference){
        .m = p->m,
        .n = p->n,
        .ld = p->matrix[CLG_C].ld,
        .length = (size_t)(p->matrix[CLG_C].ld * p->n + 2 * (int64_t)CLG_VERIFY_GUARD),
        .count = count,
        .at = calloc(count, sizeof *out->at),
        .expected = calloc(count, sizeof *out->expected),
        .bound = calloc(count, sizeof *out->bound)};
    if (!out->at || !out->expected || !out->bound)
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
    free(reference->bound);
    *reference = (struct clg_reference){0};
}

static bool is_canary(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == CLG_VERIFY_CANARY;
}

/* Whether [from, to) was left alone. */
static bool is_untouched(const float *c, int64_t from, int64_t to, char *why, size_t room) {
    for (int64_t i = from; i < to; i++)
        if (!is_canary(c[i])) {
            snprintf(why, room, "memory outside C was written, %" PRId64 " floats from its start",
                     i - CLG_VERIFY_GUARD);
            return false;
        }
    return true;
}

static bool is_whole(const struct clg_reference *r, const float *c, char *why, size_t room) {
    const int64_t end = (int64_t)r->length;
    if (!is_untouched(c, 0, CLG_VERIFY_GUARD, why, room) ||
        !is_untouched(c, end - CLG_VERIFY_GUARD, end, why, room))
        return false;
    for (int64_t j = 0; j < r->n; j++) {
        const int64_t column = CLG_VERIFY_GUARD + j * r->ld;
        for (int64_t i = 0; i < r->m; i++)
            if (isnan(c[column + i])) {
                snprintf(why, room, "C(%" PRId64 ", %" PRId64 ") is NaN, or was not written", i, j);
                return false;
            }
        if (!is_untouched(c, column + r->m, column + r->ld, why, room))
            return false;
    }
    return true;
}

bool clg_reference_accepts(const struct clg_reference *r, const float *c, char *why, size_t room) {
    if (!is_whole(r, c, why, room))
        return false;
    for (size_t s = 0; s < r->count; s++)
        if (!(fabs(c[r->at[s]] - r->expected[s]) <= r->bound[s])) {
            const int64_t at = r->at[s] - CLG_VERIFY_GUARD;
            snprintf(why, room, "C(%" PRId64 ", %" PRId64 ") = %.9g, not %.9g +- %.2g", at % r->ld,
                     at / r->ld, c[r->at[s]], r->expected[s], r->bound[s]);
            return false;
        }
    return true;
}
