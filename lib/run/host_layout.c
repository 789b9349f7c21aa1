/* SPDX-License-Identifier: Apache-2.0
 * Determines where the matrices of a host call are in buffers. */
#include "run/host_layout.h"

#include "base/checked.h"

/* Columns in the library's own buffers are aligned for vectors and bulk copies, whatever the host's
 * leading dimension. */
enum { LD_UNIT = 8 }; /* at most: 16 bytes of the smallest type */

/* A runtime may copy or pin the memory under a buffer, so most of it should belong to the matrix.
 */
enum { MOST_SPAN = 4 }; /* elements of memory per element of the matrix */

int64_t clg_host_dense_ld(clgemm_type type, int64_t rows) {
    const unsigned bulk = clg_type_bulk(type);
    return clg_round_up(rows, bulk > CLG_WIDEST_VECTOR ? bulk : CLG_WIDEST_VECTOR);
}

static clgemm_status place_in_copy(struct clg_matrix *matrix, clgemm_type type, int64_t matrices) {
    const size_t size = clg_type_size(type);
    int64_t elements, all;
    if (matrix->rows > INT64_MAX - LD_UNIT ||
        !clg_span(clg_host_dense_ld(type, matrix->rows), matrix->cols,
                  clg_host_dense_ld(type, matrix->rows), 0, size, &elements) ||
        __builtin_mul_overflow(elements, matrices * (int64_t)size, &all))
        return clg_fail(CLGEMM_STATUS_SIZE_OVERFLOW, "the bytes of a matrix exceed an int64_t");
    matrix->ld = clg_host_dense_ld(type, matrix->rows);
    matrix->offset = 0;
    matrix->stride = matrices > 1 ? elements : 0;
    matrix->vector = clg_type_vector(type);
    matrix->bulk = true;
    matrix->readable = matrix->ld;
    return CLGEMM_SUCCESS;
}

static void place_in_place(struct clg_matrix *matrix, const void *host, uintptr_t begin,
                           size_t size) {
    matrix->offset = (int64_t)(((uintptr_t)host - begin) / size);
    matrix->readable = matrix->rows;        /* what follows a column is unknown */
    while (matrix->offset % matrix->vector) /* a copy of the buffer is aligned */
        matrix->vector /= 2;
    matrix->bulk = matrix->bulk && (size_t)matrix->offset * size % 16 == 0;
}

/* Whether the matrix by itself can be used in place. Also sets the memory that it spans, in either
 * case. */
static bool spans(struct clg_placement *out, const struct clg_matrix *matrix, int64_t matrices,
                  const void *host, size_t size, bool may_have_gaps, uint64_t max_allocation) {
    int64_t span, elements;
    if (__builtin_mul_overflow(matrix->rows * matrix->cols, matrices, &elements))
        elements = INT64_MAX; /* matrices of a batch may overlap and span much less */
    if (!clg_span(matrix->rows, matrix->cols, matrix->ld,
                  (uint64_t)(matrices - 1) * (uint64_t)matrix->stride, size, &span))
        return false;
    out->begin = (uintptr_t)host;
    out->end = out->begin + (uintptr_t)span * size;
    return (uint64_t)span * size <= max_allocation && span / MOST_SPAN <= elements &&
           (may_have_gaps || span == elements);
}

static bool overlap(const struct clg_placement *x, const struct clg_placement *y) {
    return x->begin < y->end && y->begin < x->end;
}

static void merge(struct clg_placement *x, struct clg_placement *y) {
    if (!x->in_place || !y->in_place || !overlap(x, y))
        return;
    x->begin = y->begin = x->begin < y->begin ? x->begin : y->begin;
    x->end = y->end = x->end > y->end ? x->end : y->end;
}

/* Also copies matrices that overlap a copied one, because NVIDIA's driver refuses transfers of
 * memory that is under a buffer (CL_INVALID_VALUE). Two passes, because one copy may cause another.
 */
static void copy_with_copies(struct clg_placement placement[CLG_MATRICES]) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < CLG_MATRICES; i++)
            for (int j = 0; j < CLG_MATRICES; j++)
                if (placement[j].used && !placement[j].in_place &&
                    overlap(&placement[i], &placement[j]))
                    placement[i].in_place = false;
}

/* Two passes, because a merge may make a matrix overlap one that was compared before. */
static void merge_all(struct clg_placement placement[CLG_MATRICES], uint64_t max_allocation) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < CLG_MATRICES; i++)
            for (int j = i + 1; j < CLG_MATRICES; j++)
                merge(&placement[i], &placement[j]);
    for (int i = 0; i < CLG_MATRICES; i++)
        placement[i].in_place &= placement[i].end - placement[i].begin <= max_allocation;
    copy_with_copies(placement);
    for (int i = 0; i < CLG_MATRICES; i++) {
        placement[i].buffer = i;
        for (int j = i - 1; j >= 0; j--)
            if (placement[i].in_place && placement[j].in_place &&
                placement[j].begin == placement[i].begin)
                placement[i].buffer = j;
    }
}

clgemm_status clg_host_layout_make(struct clg_host_layout *out, const struct clg_problem *problem,
                                   const struct clg_host_matrices *host, bool share,
                                   uint64_t max_allocation) {
    const size_t size = clg_type_size(problem->type);
    *out = (struct clg_host_layout){.problem = *problem};
    struct clg_matrix *matrix = out->problem.matrix;
    for (int i = 0; i < CLG_MATRICES; i++) {
        struct clg_placement *placement = &out->placement[i];
        placement->used = clg_work_needs(problem->work, i);
        placement->in_place = placement->used &&
                              spans(placement, &matrix[i], clg_problem_matrices(problem, i),
                                    host->at[i], size, i != CLG_C, max_allocation) &&
                              share;
    }
    merge_all(out->placement, max_allocation);
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES && !status; i++)
        if (out->placement[i].in_place)
            place_in_place(&matrix[i], host->at[i], out->placement[i].begin, size);
        else if (out->placement[i].used) {
            status = place_in_copy(&matrix[i], problem->type, clg_problem_matrices(problem, i));
            out->problem.copied = true;
        }
    return status;
}
