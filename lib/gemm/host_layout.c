/* SPDX-License-Identifier: Apache-2.0
 * Where the matrices of a host call lie in buffers. */
#include "gemm/host_layout.h"

#include "base/checked.h"

/* Columns in buffers of our own start at multiples of this many floats, so that every matrix is
 * read in vectors, whatever the host's leading dimension. */
enum { LD_UNIT = 4 };

/* A runtime may copy what is under a buffer, or pin it: most of that should be of use. */
enum { MOST_SPAN = 4 }; /* floats for each element */

int64_t clg_host_dense_ld(int64_t rows) {
    return clg_round_up(rows, LD_UNIT);
}

static clgemm_status lay_dense(struct clg_matrix *matrix) {
    int64_t elements;
    if (matrix->rows > INT64_MAX - LD_UNIT ||
        !clg_span(clg_host_dense_ld(matrix->rows), matrix->cols, clg_host_dense_ld(matrix->rows), 0,
                  &elements))
        return clg_fail(CLGEMM_STATUS_SIZE_OVERFLOW,
                        "a matrix has more bytes than an int64_t counts");
    matrix->ld = clg_host_dense_ld(matrix->rows);
    matrix->offset = 0;
    matrix->vector = LD_UNIT;
    matrix->readable = matrix->ld;
    return CLGEMM_SUCCESS;
}

static void lay_in_place(struct clg_matrix *matrix, const float *host, uintptr_t begin) {
    matrix->offset = (int64_t)(((uintptr_t)host - begin) / sizeof(float));
    matrix->readable = matrix->rows;        /* nobody knows what lies behind a column */
    while (matrix->offset % matrix->vector) /* a copy of the buffer would start aligned */
        matrix->vector /= 2;
}

/* Whether the matrix can be used in place by itself; fills the memory that it spans. */
static bool spans(struct clg_lodging *out, const struct clg_matrix *matrix, const float *host,
                  bool may_have_gaps, uint64_t max_allocation) {
    int64_t span;
    if (!clg_span(matrix->rows, matrix->cols, matrix->ld, 0, &span))
        return false;
    out->begin = (uintptr_t)host;
    out->end = out->begin + (uintptr_t)span * sizeof(float);
    return (uint64_t)span * sizeof(float) <= max_allocation &&
           span / MOST_SPAN <= matrix->rows * matrix->cols &&
           (may_have_gaps || span == matrix->rows * matrix->cols);
}

static void merge(struct clg_lodging *x, struct clg_lodging *y) {
    if (!x->in_place || !y->in_place || x->begin >= y->end || y->begin >= x->end)
        return;
    x->begin = y->begin = x->begin < y->begin ? x->begin : y->begin;
    x->end = y->end = x->end > y->end ? x->end : y->end;
}

/* Twice, since what one merge makes of a matrix may overlap with one looked at before. */
static void merge_all(struct clg_lodging matrix[CLG_MATRICES], uint64_t max_allocation) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < CLG_MATRICES; i++)
            for (int j = i + 1; j < CLG_MATRICES; j++)
                merge(&matrix[i], &matrix[j]);
    for (int i = 0; i < CLG_MATRICES; i++)
        matrix[i].in_place &= matrix[i].end - matrix[i].begin <= max_allocation;
    for (int i = 0; i < CLG_MATRICES; i++) {
        matrix[i].buffer = i;
        for (int j = i - 1; j >= 0; j--)
            if (matrix[i].in_place && matrix[j].in_place && matrix[j].begin == matrix[i].begin)
                matrix[i].buffer = j;
    }
}

clgemm_status clg_host_layout_make(struct clg_host_layout *out, const struct clg_problem *problem,
                                   const struct clg_host_matrices *host, bool share,
                                   uint64_t max_allocation) {
    const bool multiply = problem->work == CLG_WORK_MULTIPLY;
    const float *const from[] = {host->a, host->b, host->c};
    *out = (struct clg_host_layout){.problem = *problem};
    struct clg_matrix *const to[] = {&out->problem.a, &out->problem.b, &out->problem.c};
    for (int i = 0; i < CLG_MATRICES; i++) {
        struct clg_lodging *matrix = &out->matrix[i];
        matrix->used = i == CLG_C ? problem->work != CLG_WORK_NOTHING : multiply;
        matrix->in_place =
            share && matrix->used && spans(matrix, to[i], from[i], i != CLG_C, max_allocation);
    }
    merge_all(out->matrix, max_allocation);
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES && !status; i++)
        if (out->matrix[i].in_place)
            lay_in_place(to[i], from[i], out->matrix[i].begin);
        else if (out->matrix[i].used) {
            status = lay_dense(to[i]);
            out->problem.copied = true;
        }
    return status;
}
