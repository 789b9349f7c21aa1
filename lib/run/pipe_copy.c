/* SPDX-License-Identifier: Apache-2.0
 * Copies between host matrices and slots of pinned memory. */
#include "run/pipe_copy.h"

#include "base/copy.h"

void *clg_pipe_host_place(const struct clg_problem *problem, const struct clg_host_matrices *host,
                          const struct clg_pipe_piece *piece) {
    const struct clg_matrix *matrix = &problem->matrix[piece->matrix];
    const int64_t product = piece->col / matrix->cols, col = piece->col % matrix->cols;
    const int64_t at = product * matrix->stride + col * matrix->ld + piece->row;
    return (char *)host->at[piece->matrix] + (size_t)at * clg_type_size(problem->type);
}

void clg_pipe_copy(const struct clg_problem *problem, const struct clg_host_matrices *host,
                   const struct clg_pipe_piece *piece, char *slot, bool to_host) {
    const struct clg_matrix *matrix = &problem->matrix[piece->matrix];
    const size_t size = clg_type_size(problem->type);
    const size_t pitch = (size_t)matrix->ld * size, slot_pitch = (size_t)piece->ld * size;
    const bool joined = matrix->stride == matrix->ld * matrix->cols; /* as one matrix */
    for (int64_t j = 0, cols; j < piece->cols; j += cols) {
        const int64_t col = piece->col + j;
        const int64_t product = joined ? 0 : col / matrix->cols;
        const int64_t first = col - product * matrix->cols;
        const int64_t left = joined ? piece->cols : matrix->cols - first;
        cols = left < piece->cols - j ? left : piece->cols - j;
        char *there = (char *)host->at[piece->matrix] +
                      (size_t)(product * matrix->stride + first * matrix->ld + piece->row) * size;
        char *here = slot + (size_t)j * slot_pitch;
        const size_t bytes = (size_t)piece->rows * size;
        if (to_host)
            clg_copy_columns(there, pitch, here, slot_pitch, bytes, (size_t)cols);
        else
            clg_copy_columns(here, slot_pitch, there, pitch, bytes, (size_t)cols);
    }
}
