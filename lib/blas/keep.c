/* SPDX-License-Identifier: Apache-2.0
 * Keeps copies of C. The last buffer waits for the next call, up to a size: memory fresh from the
 * system is cleared page by page, at every call anew. */
#include "blas/keep.h"

#include <stdlib.h>
#include <string.h>

static const size_t most_idle = (size_t)64 << 20;

struct clg_kept {
    size_t bytes; /* of `elements` */
    float elements[];
};

static struct clg_kept *idle; /* atomic */

/* Rows or columns, whichever lie in one piece. */
struct lines {
    int64_t count, length;
};

static struct lines lines_of(const struct clg_gemm *call) {
    return call->layout == CLGEMM_ROW_MAJOR ? (struct lines){call->m, call->n}
                                            : (struct lines){call->n, call->m};
}

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

struct clg_kept *clg_keep(const struct clg_gemm *call) {
    const struct lines lines = lines_of(call);
    size_t bytes;
    if (__builtin_mul_overflow((size_t)lines.count, (size_t)lines.length, &bytes) ||
        __builtin_mul_overflow(bytes, sizeof(float), &bytes))
        return NULL;
    struct clg_kept *kept = take(bytes);
    if (!kept)
        return NULL;
    for (int64_t line = 0; line < lines.count; line++)
        memcpy(kept->elements + line * lines.length, call->c + line * call->ldc,
               (size_t)lines.length * sizeof(float));
    return kept;
}

void clg_keep_restore(const struct clg_kept *kept, const struct clg_gemm *call) {
    const struct lines lines = lines_of(call);
    for (int64_t line = 0; line < lines.count; line++)
        memcpy(call->c + line * call->ldc, kept->elements + line * lines.length,
               (size_t)lines.length * sizeof(float));
}

void clg_keep_release(struct clg_kept *kept) {
    if (kept && kept->bytes <= most_idle)
        kept = __atomic_exchange_n(&idle, kept, __ATOMIC_ACQ_REL);
    free(kept);
}
