/* SPDX-License-Identifier: Apache-2.0
 * Keeps copies of C. The last buffer waits for the next call. */
#include "blas/keep.h"

#include <stdlib.h>

#include "base/copy.h"
#include "blas/element.h"

struct clg_kept {
    size_t bytes; /* of `elements` */
    unsigned char elements[];
};

static struct clg_kept *idle; /* atomic */

/* A buffer of so many bytes: the idle one, or a new one. */
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

/* Copies lines of `length` elements. */
static void copy(clgemm_type type, void *to, int64_t to_step, const void *from, int64_t from_step,
                 int64_t count, int64_t length) {
    const size_t size = clg_element_size(type);
    clg_copy_columns(to, (size_t)to_step * size, from, (size_t)from_step * size,
                     (size_t)length * size, (size_t)count);
}

struct clg_kept *clg_keep(const struct clg_gemm *call) {
    const struct clg_lines lines = clg_lines_of(call);
    size_t bytes;
    if (__builtin_mul_overflow((size_t)lines.count, (size_t)lines.length, &bytes) ||
        __builtin_mul_overflow(bytes, clg_element_size(call->type), &bytes))
        return NULL;
    struct clg_kept *kept = take(bytes);
    if (kept)
        copy(call->type, kept->elements, lines.length, call->c, call->ldc, lines.count,
             lines.length);
    return kept;
}

void clg_keep_restore(const struct clg_kept *kept, const struct clg_gemm *call) {
    const struct clg_lines lines = clg_lines_of(call);
    copy(call->type, call->c, call->ldc, kept->elements, lines.length, lines.count, lines.length);
}

void clg_keep_release(struct clg_kept *kept) {
    if (kept && kept->bytes <= CLG_KEPT_MOST)
        kept = __atomic_exchange_n(&idle, kept, __ATOMIC_ACQ_REL);
    free(kept);
}
