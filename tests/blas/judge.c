/* SPDX-License-Identifier: Apache-2.0
 * Judges products of either type in long double, which is wider than both. */
#include "judge.h"

#include <cblas.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAIL = 19 }; /* elements behind the last vector */

static size_t size_of(clgemm_type type) {
    return type == CLGEMM_F64 ? sizeof(double) : sizeof(float);
}

double operand_load(clgemm_type type, const void *array, int64_t at) {
    return type == CLGEMM_F64 ? ((const double *)array)[at] : (double)((const float *)array)[at];
}

void operand_store(clgemm_type type, void *array, int64_t at, double value) {
    if (type == CLGEMM_F64)
        ((double *)array)[at] = value;
    else
        ((float *)array)[at] = (float)value;
}

void operand_create(struct operand *out, clgemm_type type, int64_t length, int64_t vectors,
                    int64_t gap, struct clg_test_random *random) {
    const int64_t ld = (length > 0 ? length : 1) + gap;
    *out = (struct operand){.type = type, .length = length, .vectors = vectors, .ld = ld};
    out->bytes = (size_t)(ld * vectors + TAIL) * size_of(type);
    out->memory = clg_test_alloc(out->bytes);
    out->before = clg_test_alloc(out->bytes);
    memset(out->memory, 0xFF, out->bytes);
    for (int64_t j = 0; j < vectors; j++)
        for (int64_t i = 0; i < length; i++) {
            const double value = (double)clg_test_value(random);
            operand_store(type, out->memory, i + j * ld,
                          value + 0x1p-26 * (double)clg_test_value(random));
        }
    memcpy(out->before, out->memory, out->bytes);
}

void operand_destroy(struct operand *operand) {
    free(operand->memory);
    free(operand->before);
    *operand = (struct operand){0};
}

static bool is_unchanged(const struct operand *x) {
    return memcmp(x->memory, x->before, x->bytes) == 0;
}

/* Whether what is between and behind the vectors is as it was. */
static bool is_guarded(const struct operand *x) {
    const size_t size = size_of(x->type), used = (size_t)x->length * size,
                 step = (size_t)x->ld * size;
    const char *now = x->memory, *was = x->before;
    bool guarded = true;
    for (int64_t j = 0; j < x->vectors; j++, now += step, was += step)
        guarded &= memcmp(now + used, was + used, step - used) == 0;
    return guarded && memcmp(now, was, TAIL * size) == 0;
}

static int64_t place(const struct view *x, int64_t row, int64_t column) {
    return x->by_columns ? row + column * x->operand->ld : row * x->operand->ld + column;
}

static long double element(const struct view *x, int64_t row, int64_t column) {
    return operand_load(x->operand->type, x->operand->memory, place(x, row, column));
}

/* The bound of docs/testing.md. */
static bool is_right(const struct product *p, int64_t i, int64_t j) {
    const clgemm_type type = p->c.operand->type;
    const double roundoff = type == CLGEMM_F64 ? 0x1p-53 : 0x1p-24;
    const int64_t at = place(&p->c, i, j);
    const double old = p->beta == 0 ? 0 : operand_load(type, p->c.operand->before, at);
    long double exact = (long double)p->beta * old, sum = 0;
    double absolute = 0;
    for (int64_t l = 0; l < p->k && p->alpha != 0; l++) {
        const long double term = element(&p->a, i, l) * element(&p->b, l, j);
        sum += term;
        absolute += fabs((double)term);
    }
    exact += p->alpha * sum;
    const double bound = (double)(p->k + 2) * roundoff * fabs(p->alpha) * absolute +
                         2 * roundoff * fabs(p->beta * old);
    return fabsl(element(&p->c, i, j) - exact) <= bound; /* false for a NaN */
}

static bool is_kept(const struct product *p, int64_t i, int64_t j) {
    const struct operand *c = p->c.operand;
    const size_t at = (size_t)place(&p->c, i, j) * size_of(c->type);
    return memcmp((const char *)c->memory + at, (const char *)c->before + at, size_of(c->type)) ==
           0;
}

const char *judge(const struct product *p) {
    static char fault[256];
    if (!is_unchanged(p->a.operand) || !is_unchanged(p->b.operand))
        return "A's or B's memory was written";
    if (!is_guarded(p->c.operand))
        return "memory around the elements of C was written";
    const bool idle = p->beta == 1 && (p->alpha == 0 || p->k == 0);
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            const bool outside = p->uplo == CblasUpper ? i > j : p->uplo == CblasLower && i < j;
            if (idle || outside ? is_kept(p, i, j) : is_right(p, i, j))
                continue;
            snprintf(fault, sizeof fault,
                     "C(%" PRId64 ",%" PRId64 ") is wrong, in a product of type %d, m n k %" PRId64
                     " %" PRId64 " %" PRId64 ", triangle %d, alpha %g, beta %g",
                     i, j, (int)p->c.operand->type, p->m, p->n, p->k, p->uplo, p->alpha, p->beta);
            return fault;
        }
    return NULL;
}
