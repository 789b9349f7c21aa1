/* SPDX-License-Identifier: Apache-2.0
 * What is remembered: found by its key, used after it is forgotten, freed once, and never older
 * than what it was made from. */
#include "base/known.h"

#include <pthread.h>
#include <stdlib.h>

#include "support/check.h"

enum { MOST = 40 };

struct number {
    struct clg_known known;
    int value;
};

static int alive; /* atomic */
static struct clg_known_table table;

static bool is(const void *known, const void *key) {
    return ((const struct number *)known)->value == *(const int *)key;
}

static void end(void *known) {
    (void)known;
    __atomic_sub_fetch(&alive, 1, __ATOMIC_RELAXED);
}

/* All have one of two hashes, so a bucket has many. */
static uint64_t hash_of(int value) {
    return (uint64_t)(value % 2) << 32 | 7;
}

static struct number *find(int value) {
    uint64_t since;
    return clg_known_find(&table, hash_of(value), &value, &since);
}

static uint64_t now(void) {
    const int none = -1;
    uint64_t since;
    assert_null(clg_known_find(&table, 0, &none, &since));
    return since;
}

/* Offers a new entry to the table, and keeps no reference. */
static void keep(int value, bool interim, uint64_t since) {
    struct number *made = calloc(1, sizeof *made);
    assert_non_null(made);
    *made = (struct number){{.hash = hash_of(value), .interim = interim, .end = end, .users = 1},
                            value};
    __atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED);
    clg_known_keep(&table, &made->known, since);
    clg_known_release(&made->known);
}

static bool has(int value) {
    struct number *found = find(value);
    assert_true(!found || found->value == value);
    clg_known_release((struct clg_known *)found);
    return found;
}

static int set_up(void **state) {
    (void)state;
    clg_known_open(&table, MOST, is);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    clg_known_close(&table);
    return alive != 0;
}

static void the_least_recently_used_is_replaced(void **state) {
    (void)state;
    for (int i = 0; i < MOST; i++)
        keep(i, false, now());
    for (int i = 0; i < MOST; i++)
        assert_true(has(i));
    assert_true(has(0));
    keep(MOST, false, now());
    assert_int_equal(alive, MOST);
    assert_true(has(0) && has(MOST) && has(2));
    assert_false(has(1));
}

static void what_is_forgotten_can_still_be_used(void **state) {
    (void)state;
    keep(5, false, now());
    struct number *used = find(5);
    assert_non_null(used);
    clg_known_forget(&table, true);
    assert_false(has(5));
    assert_int_equal(alive, 1);
    assert_int_equal(used->value, 5);
    clg_known_release(&used->known);
    assert_int_equal(alive, 0);
    clg_known_release(NULL);
}

static void interim_ones_can_be_forgotten_alone(void **state) {
    (void)state;
    keep(1, true, now());
    keep(2, false, now());
    keep(3, true, now());
    clg_known_forget(&table, false);
    assert_true(!has(1) && has(2) && !has(3));
}

/* An entry that was made while others were forgotten may be as outdated as they. */
static void what_is_outdated_is_not_remembered(void **state) {
    (void)state;
    const uint64_t before = now();
    clg_known_forget(&table, false);
    keep(1, true, before);
    keep(2, false, before);
    assert_true(!has(1) && has(2));
    const uint64_t between = now();
    keep(3, true, between);
    clg_known_forget(&table, true);
    keep(4, true, between);
    keep(5, false, between);
    assert_true(!has(2) && !has(3) && !has(4) && !has(5));
    keep(6, true, now());
    assert_true(has(6));
}

static void *use_and_forget(void *seed) {
    unsigned random = *(unsigned *)seed;
    for (int i = 0; i < 5000; i++) {
        random = random * 1664525U + 1013904223U;
        const int value = (int)(random >> 16) % (2 * MOST);
        if (!has(value))
            keep(value, value % 3 == 0, now());
        if (i % 50 == 0)
            clg_known_forget(&table, i % 100 == 0);
    }
    return NULL;
}

static void by_many_threads(void **state) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    unsigned seeds[THREADS];
    (void)state;
    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, use_and_forget, &seeds[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_least_recently_used_is_replaced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_forgotten_can_still_be_used, set_up, tear_down),
        cmocka_unit_test_setup_teardown(interim_ones_can_be_forgotten_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_outdated_is_not_remembered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(by_many_threads, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
