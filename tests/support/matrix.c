/* SPDX-License-Identifier: Apache-2.0
 * Matrices with canaries. */
#include "support/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAIL = 19 }; /* canaries after the last vector */

/* Quiet NaNs. */
static const uint32_t canary_bits = UINT32_C(0x7FDEAD5A);
static const uint64_t wide_canary_bits = UINT64_C(0x7FFDEAD55AADE55A);
static const uint16_t narrow_canary_bits = UINT16_C(0x7FDE);

void *clg_test_alloc(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(EXIT_FAILURE);
    }
    return memory;
}

double clg_test_element(clgemm_type type, struct clg_test_random *random) {
    if (clg_type_real(type) == CLGEMM_F64)
        return (double)(clg_test_next(random) >> 11) * 0x1p-52 - 1;
    const double value = (double)clg_test_value(random);
    return clg_type_is_narrow(type) ? clg_narrow_value(type, clg_narrow_bits(type, value)) : value;
}

static void set_canary(const struct clg_test_matrix *matrix, size_t index) {
    const clgemm_type real = clg_type_real(matrix->type);
    const void *canary = real == CLGEMM_F64         ? (const void *)&wide_canary_bits
                         : clg_type_is_narrow(real) ? (const void *)&narrow_canary_bits
                                                    : &canary_bits;
    const int parts = clg_type_parts(matrix->type);
    for (int part = 0; part < parts; part++)
        memcpy(clg_element_at(real, matrix->memory, (int64_t)index * parts + part), canary,
               clg_type_size(real));
}

/* ---- Matrices ---- */

void clg_test_matrices_create(struct clg_test_matrix *out, clgemm_type type, int64_t length,
                              int64_t vectors, int64_t gap, int64_t matrices, int64_t between,
                              size_t offset, struct clg_test_random *random) {
    *out = (struct clg_test_matrix){
        .type = type, .length = length, .vectors = vectors, .offset = offset, .matrices = matrices};
    out->ld = (length > 0 ? length : 1) + gap;
    out->stride = matrices > 1 ? out->ld * vectors + between : 0;
    out->count = offset + (size_t)(out->ld * vectors + (matrices - 1) * out->stride) + TAIL;
    out->memory = clg_test_alloc(clg_test_matrix_bytes(out));
    out->before = clg_test_alloc(clg_test_matrix_bytes(out));
    for (size_t i = 0; i < out->count; i++)
        set_canary(out, i);
    for (int64_t z = 0; z < matrices; z++)
        for (int64_t j = 0; j < vectors; j++)
            for (int64_t i = 0, parts = clg_type_parts(type); i < length * parts; i++)
                clg_element_set(type, clg_test_matrix_data(out),
                                i + (j * out->ld + z * out->stride) * parts,
                                clg_test_element(type, random));
    clg_test_matrix_snapshot(out);
}

void clg_test_matrix_create(struct clg_test_matrix *out, clgemm_type type, int64_t length,
                            int64_t vectors, int64_t gap, size_t offset,
                            struct clg_test_random *random) {
    clg_test_matrices_create(out, type, length, vectors, gap, 1, 0, offset, random);
}

void clg_test_matrix_destroy(struct clg_test_matrix *matrix) {
    free(matrix->memory);
    free(matrix->before);
    *matrix = (struct clg_test_matrix){0};
}

void *clg_test_matrix_data(const struct clg_test_matrix *matrix) {
    return clg_element_at(matrix->type, matrix->memory, (int64_t)matrix->offset);
}

const void *clg_test_matrix_before(const struct clg_test_matrix *matrix) {
    return clg_element_at(matrix->type, matrix->before, (int64_t)matrix->offset);
}

size_t clg_test_matrix_bytes(const struct clg_test_matrix *matrix) {
    return matrix->count * clg_type_size(matrix->type);
}

void clg_test_matrix_snapshot(struct clg_test_matrix *matrix) {
    memcpy(matrix->before, matrix->memory, clg_test_matrix_bytes(matrix));
}

static bool same(const struct clg_test_matrix *matrix, size_t from, size_t to) {
    const clgemm_type type = matrix->type;
    return memcmp(clg_element_at(type, matrix->memory, (int64_t)from),
                  clg_element_at(type, matrix->before, (int64_t)from),
                  (to - from) * clg_type_size(type)) == 0;
}

bool clg_test_matrix_guarded(const struct clg_test_matrix *matrix) {
    size_t from = 0;
    for (int64_t v = 0; v < matrix->matrices * matrix->vectors; v++) {
        const int64_t z = v / matrix->vectors, j = v % matrix->vectors;
        size_t start = matrix->offset + (size_t)(j * matrix->ld + z * matrix->stride);
        if (!same(matrix, from, start))
            return false;
        from = start + (size_t)matrix->length;
    }
    return same(matrix, from, matrix->count);
}

bool clg_test_matrix_unchanged(const struct clg_test_matrix *matrix) {
    return same(matrix, 0, matrix->count);
}
