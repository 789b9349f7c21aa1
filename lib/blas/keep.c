/* SPDX-License-Identifier: Apache-2.0
 * Keeps copies of C. The last buffer is kept for the next call. */
#include "blas/keep.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/copy.h"
#include "base/thread.h"
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
    clg_pages_prepare(kept, whole);
    kept->bytes = bytes;
    return kept;
}

/* ---- Copying ---- */

/* Bytes that a thread takes at once, or one line. One thread copies about 5 GB/s, and a fast bus
 * brings 50. */
enum { PART = 512 << 10 };
static struct clg_workers *workers; /* atomic */

enum direction { KEEP, RESTORE };

struct job {
    unsigned char *elements;
    const struct clg_batch *batch;
    enum direction direction;
    int64_t at_once; /* lines that a thread takes */
    int64_t next;    /* atomic; the first line that no thread has taken */
};

/* Copies lines of one product. */
static void copy_lines(const struct job *job, int64_t product, int64_t first, int64_t count) {
    const struct clg_gemm c = clg_batch_product(job->batch, product);
    const struct clg_lines lines = clg_lines_of(&c);
    const size_t length = (size_t)lines.length * clg_element_size(c.type),
                 ld = (size_t)c.ldc * clg_element_size(c.type);
    unsigned char *kept = job->elements + length * (size_t)(product * lines.count + first);
    void *there = clg_element_at(c.type, c.c, first * c.ldc);
    if (job->direction == KEEP)
        clg_copy_columns(kept, length, there, ld, length, (size_t)count);
    else
        clg_copy_columns(there, ld, kept, length, length, (size_t)count);
}

/* Copies a part, which may be of several products. */
static void copy_part(const struct job *job, int64_t at, int64_t end) {
    const int64_t lines = clg_lines_of(&job->batch->gemm).count;
    while (at < end) {
        const int64_t left = lines - at % lines, count = end - at < left ? end - at : left;
        copy_lines(job, at / lines, at % lines, count);
        at += count;
    }
}

static void copy_parts(void *user, int who) {
    struct job *job = user;
    const int64_t all = clg_lines_of(&job->batch->gemm).count * job->batch->count;
    int64_t at;
    (void)who;
    while ((at = __atomic_fetch_add(&job->next, job->at_once, __ATOMIC_RELAXED)) < all)
        copy_part(job, at, at + job->at_once < all ? at + job->at_once : all);
}

static struct clg_workers *take_workers(void) {
    struct clg_workers *those = __atomic_load_n(&workers, __ATOMIC_ACQUIRE), *none = NULL;
    if (those || !(those = clg_workers_new()))
        return those;
    if (__atomic_compare_exchange_n(&workers, &none, those, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return those;
    clg_workers_free(those);
    return none;
}

static void copy(struct clg_kept *kept, const struct clg_batch *batch, enum direction direction) {
    const struct clg_lines lines = clg_lines_of(&batch->gemm);
    const int64_t length = lines.length * (int64_t)clg_element_size(batch->gemm.type);
    struct job job = {kept->elements, batch, direction, length < PART ? PART / length : 1, 0};
    const int64_t all = lines.count * batch->count, parts = (all + job.at_once - 1) / job.at_once;
    const int cancel = clg_cancel_hold(); /* helpers use `job` until they have ended */
    const int64_t processors = clg_thread_processors();
    const int helpers = (int)(parts < processors ? parts : processors) - 1;
    clg_workers_run(helpers > 0 ? take_workers() : NULL, helpers, copy_parts, &job);
    clg_cancel_release(cancel);
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
        copy(kept, batch, KEEP);
    return kept;
}

void clg_keep_restore(struct clg_kept *kept, const struct clg_batch *batch) {
    copy(kept, batch, RESTORE);
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
