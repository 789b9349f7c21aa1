/* SPDX-License-Identifier: Apache-2.0
 * Copies of C: what was kept is restored to the last byte, and nothing between lines or products is
 * touched, whether one thread copies or several. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "blas/element.h"
#include "blas/keep.h"
#include "support/check.h"

/* A batch of C by strides or by addresses, in memory of its own. */
struct kept_case {
    struct clg_batch batch;
    size_t bytes;
    unsigned char *memory, *before;
    void *places[8];
};

static void fill(unsigned char *bytes, size_t count, unsigned seed) {
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(seed = seed * 1103515245 + 12345, seed >> 16);
}

static void draw(struct kept_case *c, clgemm_type type, int64_t lines, int64_t length, int64_t gap,
                 int64_t count, bool by_arrays) {
    const int64_t ld = length + gap, stride = lines * ld + gap;
    *c = (struct kept_case){.bytes = (size_t)(count * stride) * clg_element_size(type)};
    c->memory = malloc(c->bytes);
    c->before = malloc(c->bytes);
    assert_true(c->memory && c->before);
    fill(c->memory, c->bytes, (unsigned)count);
    memcpy(c->before, c->memory, c->bytes);
    c->batch = (struct clg_batch){.gemm = {.type = type,
                                           .layout = CLGEMM_COL_MAJOR,
                                           .m = length,
                                           .n = lines,
                                           .c = c->memory,
                                           .ldc = ld},
                                  .count = count,
                                  .stride_c = stride};
    for (int64_t z = 0; z < count; z++) /* the last one first */
        c->places[z] = clg_element_at(type, c->memory, (count - 1 - z) * stride);
    if (by_arrays) { /* A and B are not used, but have to be there */
        c->batch.a = c->batch.b = (const void *const *)c->places;
        c->batch.c = c->places;
    }
}

/* Overwrites all of the memory; what is outside C must stay so. */
static void check(struct kept_case *c) {
    struct clg_kept *kept = clg_keep(&c->batch);
    assert_non_null(kept);
    fill(c->memory, c->bytes, 7);
    clg_keep_restore(kept, &c->batch);
    clg_keep_release(kept);
    unsigned char *expected = malloc(c->bytes);
    assert_non_null(expected);
    fill(expected, c->bytes, 7);
    for (int64_t z = 0; z < c->batch.count; z++) {
        const struct clg_gemm one = clg_batch_product(&c->batch, z);
        for (int64_t j = 0; j < one.n; j++) {
            const size_t at =
                (size_t)((char *)clg_element_at(one.type, one.c, j * one.ldc) - (char *)c->memory);
            memcpy(expected + at, c->before + at, (size_t)one.m * clg_element_size(one.type));
        }
    }
    assert_memory_equal(c->memory, expected, c->bytes);
    free(expected);
}

static void *check_beside(void *given) {
    for (int i = 0; i < 3; i++)
        check(given);
    return NULL;
}

static void what_was_kept_is_restored(void **state) {
    (void)state;
    static const struct {
        int64_t lines, length, gap, count;
    } sizes[] = {{1, 1, 0, 1},      {3, 5, 2, 4},       {700, 300, 1, 3}, {1000, 1000, 0, 1},
                 {2, 300000, 5, 2}, {5000, 100, 28, 8}, {70000, 3, 1, 5}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int by_arrays = 0; by_arrays < 2; by_arrays++) {
            struct kept_case c;
            draw(&c, i % 2 ? CLGEMM_F64 : CLGEMM_CF32, sizes[i].lines, sizes[i].length,
                 sizes[i].gap, sizes[i].count, by_arrays);
            check(&c);
            free(c.memory);
            free(c.before);
        }
}

/* Only one call at a time has helpers. */
static void calls_at_once_have_copies_of_their_own(void **state) {
    (void)state;
    enum { THREADS = 4 };
    if (clg_thread_processors() < 2)
        skip();
    struct kept_case cases[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        draw(&cases[i], CLGEMM_F64, 400 + 100 * i, 500, 3, 2, i % 2);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, check_beside, &cases[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        free(cases[i].memory);
        free(cases[i].before);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_kept_is_restored),
        cmocka_unit_test(calls_at_once_have_copies_of_their_own),
    };
    return cmocka_run_group_tests_name("blas: copies of C", tests, NULL, NULL);
}
