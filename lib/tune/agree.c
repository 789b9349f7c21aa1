/* SPDX-License-Identifier: Apache-2.0
 * Compares two results of one product. */
#include "tune/agree.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gemm/element.h"
#include "tune/verify.h"

enum { LINE = 64 }; /* bytes of a cache line; more alignment has no effect */

bool clg_second_create(struct clg_second *out, const struct clg_problem *problem, const void *c) {
    const size_t shift = (uintptr_t)c % LINE;
    *out = (struct clg_second){
        .type = problem->type, .m = problem->m, .n = problem->n, .ld = problem->matrix[CLG_C].ld};
    out->length = (size_t)(out->ld * out->n) + 2 * (size_t)CLG_VERIFY_GUARD;
    out->memory = malloc(out->length * clg_type_size(out->type) + LINE);
    if (!out->memory)
        return false;
    const size_t here = (uintptr_t)out->memory % LINE;
    out->buffer = (char *)out->memory + (LINE + shift - here) % LINE;
    out->c = clg_element_at(out->type, out->buffer, CLG_VERIFY_GUARD);
    clg_second_clear(out);
    return true;
}

void clg_second_release(struct clg_second *second) {
    free(second->memory);
    *second = (struct clg_second){0};
}

void clg_second_clear(struct clg_second *second) {
    clg_canaries_fill(second->type, second->buffer, second->length);
}

/* Adds the squares of a stored matrix's elements to the sums of its rows, or of its columns. */
static void add_squares(clgemm_type type, const struct clg_matrix *matrix, const void *elements,
                        bool of_rows, double *sums) {
    for (int64_t j = 0; j < matrix->cols; j++) {
        double sum = 0;
        for (int64_t i = 0; i < matrix->rows; i++) {
            const double value = clg_element(type, elements, i + j * matrix->ld);
            double square = value * value;
            if (square < DBL_MIN && value != 0) /* underflow: digits are lost, perhaps all */
                square = NAN;
            if (of_rows)
                sums[i] += square;
            else
                sum += square;
        }
        if (!of_rows)
            sums[j] = sum;
    }
}

/* Takes the roots; false if one is infinite or NaN. */
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
    add_squares(problem->type, a, host->at[CLG_A], !a->transposed, out->rows);
    add_squares(problem->type, b, host->at[CLG_B], b->transposed, out->columns);
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
                       double alpha, const struct clg_lengths *lengths, const void *c, char *why,
                       size_t room) {
    const clgemm_type type = second->type;
    const struct clg_reference whole = {
        .type = type, .m = second->m, .n = second->n, .ld = second->ld, .length = second->length};
    const double scale = 2 * ((double)problem->k + 2) * clg_roundoff(type) * fabs(alpha);
    if (!clg_reference_accepts(&whole, second->buffer, why, room))
        return false;
    for (int64_t j = 0; j < second->n; j++)
        for (int64_t i = 0; i < second->m; i++) {
            const double first = clg_element(type, c, i + j * second->ld);
            const double found = clg_element(type, second->c, i + j * second->ld);
            const double bound =
                scale * lengths->rows[i] * lengths->columns[j] + 2 * clg_least_normal(type);
            /* Both were rounded when they were stored. */
            const double stored = 2 * clg_storing_error(type, fabs(first) + bound);
            if (!(fabs(found - first) <= bound + stored) && found != first) {
                snprintf(why, room,
                         "C(%" PRId64 ", %" PRId64 ") = %.17g, but the trusted result is %.17g "
                         "+- %.2g",
                         i, j, found, first, bound);
                return false;
            }
        }
    return true;
}
