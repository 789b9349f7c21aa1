/* SPDX-License-Identifier: Apache-2.0
 * Matrices that detect when anything but their elements is read or written.
 *
 *     memory:  | offset | vector 0 | gap | vector 1 | gap | ... | vector n-1 | tail |
 *
 * All other memory holds the canary, a NaN with its own pattern: reading it spoils the result, and
 * clg_test_matrix_guarded() detects writing it. */
#ifndef CLG_TEST_MATRIX_H
#define CLG_TEST_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/rounding.h"
#include "support/random.h"

/* A vector is contiguous: a column of a column-major matrix, a row of a row-major one. */
struct clg_test_matrix {
    clgemm_type type;
    void *memory;
    void *before;            /* a copy of the memory, taken by clg_test_matrix_snapshot() */
    size_t count;            /* elements in memory */
    size_t offset;           /* of the first element */
    int64_t length, vectors; /* elements of a vector, number of vectors */
    int64_t ld;
    int64_t matrices,
        stride; /* of a batch: the number, and the distance from one to the next; else 1 and 0 */
};

/* Allocates, fills the elements with random values and all else with the canary, and takes a
 * snapshot. The leading dimension is max(1, length) + gap. Ends the program if memory is
 * exhausted. */
void clg_test_matrix_create(struct clg_test_matrix *out, clgemm_type type, int64_t length,
                            int64_t vectors, int64_t gap, size_t offset,
                            struct clg_test_random *random);
/* The same for this many matrices, each `between` elements after the end of the one before. */
void clg_test_matrices_create(struct clg_test_matrix *out, clgemm_type type, int64_t length,
                              int64_t vectors, int64_t gap, int64_t matrices, int64_t between,
                              size_t offset, struct clg_test_random *random);
void clg_test_matrix_destroy(struct clg_test_matrix *matrix);

/* The first element, and that of the snapshot. */
void *clg_test_matrix_data(const struct clg_test_matrix *matrix);
const void *clg_test_matrix_before(const struct clg_test_matrix *matrix);

size_t clg_test_matrix_bytes(const struct clg_test_matrix *matrix);

void clg_test_matrix_snapshot(struct clg_test_matrix *matrix);

/* Whether all memory except the elements is as in the snapshot, bit for bit. */
bool clg_test_matrix_guarded(const struct clg_test_matrix *matrix);

/* Whether the whole memory is as in the snapshot. */
bool clg_test_matrix_unchanged(const struct clg_test_matrix *matrix);

/* A random number with all the bits of the type's significand, in [-1, 1). */
double clg_test_element(clgemm_type type, struct clg_test_random *random);

/* malloc() that ends the program instead of returning NULL; allocates at least one byte. */
void *clg_test_alloc(size_t bytes);

#endif
