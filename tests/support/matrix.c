/* SPDX-License-Identifier: Apache-2.0
 * Matrices with canaries. */
#include "support/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAIL = 19 }; /* floats of canary after the last vector */
static const uint32_t canary_bits = UINT32_C(0x7FDEAD5A); /* a quiet NaN */

void *clg_test_alloc(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(EXIT_FAILURE);
    }
    return memory;
}

void clg_test_matrix_create(struct clg_test_matrix *out, int64_t length, int64_t vectors,
                            int64_t gap, size_t offset, struct clg_test_random *random) {
    *out = (struct clg_test_matrix){.length = length, .vectors = vectors, .offset = offset};
    out->ld = (length > 0 ? length : 1) + gap;
    out->count = offset + (size_t)(out->ld * vectors) + TAIL;
    out->memory = clg_test_alloc(out->count * sizeof(float));
    out->before = clg_test_alloc(out->count * sizeof(float));
    for (size_t i = 0; i < out->count; i++)
        memcpy(&out->memory[i], &canary_bits, sizeof canary_bits);
    for (int64_t j = 0; j < vectors; j++)
        for (int64_t i = 0; i < length; i++)
            clg_test_matrix_data(out)[i + j * out->ld] = clg_test_value(random);
    clg_test_matrix_snapshot(out);
}

void clg_test_matrix_destroy(struct clg_test_matrix *matrix) {
    free(matrix->memory);
    free(matrix->before);
    *matrix = (struct clg_test_matrix){0};
}

float *clg_test_matrix_data(const struct clg_test_matrix *matrix) {
    return matrix->memory + matrix->offset;
}

void clg_test_matrix_snapshot(struct clg_test_matrix *matrix) {
    memcpy(matrix->before, matrix->memory, matrix->count * sizeof(float));
}

static bool same(const struct clg_test_matrix *matrix, size_t from, size_t to) {
    return memcmp(matrix->memory + from, matrix->before + from, (to - from) * sizeof(float)) == 0;
}

bool clg_test_matrix_guarded(const struct clg_test_matrix *matrix) {
    size_t from = 0;
    for (int64_t j = 0; j < matrix->vectors; j++) {
        size_t start = matrix->offset + (size_t)(j * matrix->ld);
        if (!same(matrix, from, start))
            return false;
        from = start + (size_t)matrix->length;
    }
    return same(matrix, from, matrix->count);
}

bool clg_test_matrix_unchanged(const struct clg_test_matrix *matrix) {
    return same(matrix, 0, matrix->count);
}
