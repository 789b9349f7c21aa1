/* SPDX-License-Identifier: Apache-2.0
 * Keeps copies of C. The last buffer is kept for the next call. */
#include "blas/keep.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/copy.h"
#include "blas/element.h"

struct clg_kept {
    size_t bytes; /* of `elements` */
    unsigned char elements[];
};

static struct clg_kept *idle; /* atomic */

/* A buffer of at least `bytes` bytes: the idle one, or a new one. */
static struct clg_kept *take(size_t bytes) {
    struct clg_kept *kept = __atomic_exchange_n(&idle, NULL, __ATOMIC_ACQUIRE);
    size_t whole;
    if (kept && kept->bytes >= bytes)
        return kept;
    free(kept);
    if (__builtin_add_overflow(bytes, sizeof *kept, &whole) || !(kept = malloc(whole)))
        return NULL;
    kept->bytes = bytes;
    return kept;
}

enum direction { KEEP, RESTORE };

static void copy(unsigned char *elements, const struct clg_batch *batch, enum direction direction) {
    const struct clg_lines lines = clg_lines_of(&batch->gemm);
    const size_t size = clg_element_size(batch->gemm.type), length = (size_t)lines.length * size,
                 ld = (size_t)batch->gemm.ldc * size;
    for (int64_t z = 0; z < batch->count; z++, elements += length * (size_t)lines.count) {
        void *c = clg_batch_product(batch, z).c;
        if (direction == KEEP)
            clg_copy_columns(elements, length, c, ld, length, (size_t)lines.count);
        else
            clg_copy_columns(c, ld, elements, length, length, (size_t)lines.count);
    }
}

/* Whether the system has the memory now: malloc() gives more, and the process would be killed. */
static bool is_at_hand(size_t bytes) {
    return bytes <= CLG_KEPT_MOST ||
           bytes / (size_t)sysconf(_SC_PAGESIZE) < (size_t)sysconf(_SC_AVPHYS_PAGES);
}

struct clg_kept *clg_keep(const struct clg_batch *batch) {
    const struct clg_lines lines = clg_lines_of(&batch->gemm);
    size_t bytes;
    if (__builtin_mul_overflow((size_t)lines.count, (size_t)lines.length, &bytes) ||
        __builtin_mul_overflow(bytes, clg_element_size(batch->gemm.type), &bytes) ||
        __builtin_mul_overflow(bytes, (size_t)batch->count, &bytes) || !is_at_hand(bytes))
        return NULL;
    struct clg_kept *kept = take(bytes);
    if (kept)
        copy(kept->elements, batch, KEEP);
    return kept;
}

void clg_keep_restore(struct clg_kept *kept, const struct clg_batch *batch) {
    copy(kept->elements, batch, RESTORE);
}

void clg_keep_restore_triangle(struct clg_kept *kept, const struct clg_gemm *c, clgemm_uplo uplo) {
    const bool to_end = (uplo == CLGEMM_LOWER) == (c->layout == CLGEMM_COL_MAJOR);
    for (int64_t j = 0; j < c->n; j++) {
        const int64_t first = to_end ? j : 0, end = to_end ? c->n : j + 1;
        memcpy(clg_element_at(c->type, c->c, j * c->ldc + first),
               clg_element_at(c->type, kept->elements, j * c->n + first),
               (size_t)(end - first) * clg_element_size(c->type));
    }
}

void clg_keep_release(struct clg_kept *kept) {
    if (kept && kept->bytes <= CLG_KEPT_MOST)
        kept = __atomic_exchange_n(&idle, kept, __ATOMIC_ACQ_REL);
    free(kept);
}
