/* SPDX-License-Identifier: Apache-2.0
 * Two results of one product compared. */
#include "tune/agree.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tune/verify.h"

enum { LINE = 16 }; /* floats of a cache line, the most that alignment is of use for */

bool clg_second_create(struct clg_second *out, const struct clg_problem *problem, const float *c) {
    const size_t shift = (uintptr_t)c / sizeof *c % LINE;
    *out = (struct clg_second){.m = problem->m, .n = problem->n, .ld = problem->matrix[CLG_C].ld};
    out->length = (size_t)(out->ld * out->n) + 2 * (size_t)CLG_VERIFY_GUARD;
    out->memory = malloc((out->length + (size_t)2 * LINE) * sizeof *out->memory);
    if (!out->memory)
        return false;
    const size_t here = (uintptr_t)out->memory / sizeof *c % LINE;
    out->buffer = out->memory + (LINE + shift - here) % LINE;
    out->c = out->buffer + CLG_VERIFY_GUARD;
    clg_second_clear(out);
    return true;
}

void clg_second_release(struct clg_second *second) {
    free(second->memory);
    *second = (struct clg_second){0};
}

void clg_second_clear(struct clg_second *second) {
    const uint32_t canary = CLG_VERIFY_CANARY;
    for (size_t i = 0; i < second->length; i++)
        memcpy(&second->buffer[i], &canary, sizeof canary);
}

/* Adds the squares of a stored matrix to those of its rows, or of its columns. */
static void add_squares(const struct clg_matrix *matrix, const float *elements, bool of_rows,
                        double *sums) {
    for (int64_t j = 0; j < matrix->cols; j++) {
        const float *column = elements + j * matrix->ld;
        double sum = 0;
        for (int64_t i = 0; i < matrix->rows; i++) {
            const double square = (double)column[i] * (double)column[i];
            if (of_rows)
                sums[i] += square;
            else
                sum += square;
        }
        if (!of_rows)
            sums[j] = sum;
    }
}

/* Takes the roots; false where one is infinite or no number. */
static bool take_roots(double *sums, int64_t count) {
    bool finite = true;
    for (int64_t i = 0; i < count; i++) {
        sums[i] = sqrt(sums[i]);
        finite = finite && isfinite(sums[i]);
    }
    return finite;
}

bool clg_lengths_create(struct clg_lengths *out, const struct clg_problem *problem,
                        const struct clg_host_matrices *host) {
    const struct clg_matrix *a = &problem->matrix[CLG_A], *b = &problem->matrix[CLG_B];
    *out = (struct clg_lengths){.rows = calloc((size_t)problem->m, sizeof *out->rows),
                                .columns = calloc((size_t)problem->n, sizeof *out->columns)};
    if (!out->rows || !out->columns)
        return false;
    add_squares(a, host->at[CLG_A], !a->transposed, out->rows);
    add_squares(b, host->at[CLG_B], b->transposed, out->columns);
    const bool rows_are = take_roots(out->rows, problem->m);
    out->finite = take_roots(out->columns, problem->n) && rows_are;
    return true;
}

void clg_lengths_release(struct clg_lengths *lengths) {
    free(lengths->rows);
    free(lengths->columns);
    *lengths = (struct clg_lengths){0};
}

bool clg_second_agrees(const struct clg_second *second, const struct clg_problem *problem,
                       double alpha, const struct clg_lengths *lengths, const float *c, char *why,
                       size_t room) {
    const struct clg_reference whole = {
        .m = second->m, .n = second->n, .ld = second->ld, .length = second->length};
    const double scale = 2 * ((double)problem->k + 2) * CLG_VERIFY_ROUNDOFF * fabs(alpha);
    if (!clg_reference_accepts(&whole, second->buffer, why, room))
        return false;
    for (int64_t j = 0; j < second->n; j++)
        for (int64_t i = 0; i < second->m; i++) {
            const double first = c[i + j * second->ld], found = second->c[i + j * second->ld];
            const double bound = scale * lengths->rows[i] * lengths->columns[j] + 2 * FLT_MIN;
            if (!(fabs(found - first) <= bound) && found != first) {
                snprintf(why, room,
                         "C(%" PRId64 ", %" PRId64 ") = %.9g, but %.9g by the trusted way, +- %.2g",
                         i, j, found, first, bound);
                return false;
            }
        }
    return true;
}
