/* SPDX-License-Identifier: Apache-2.0
 * What needs no device, with no address space left (RLIMIT_AS): it reports that or does without,
 * and works again once there is memory. Each in its own process. No device is needed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "base/thread.h"
#include "program/disk.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/tuning.h"

/* ---- No memory ---------------------------------------------------------------------------- */

/* All that malloc() returns, in a list, the largest blocks first. */
struct block {
    struct block *next;
};
static struct block *hoard;

static void starve(void) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = 1; /* less than there is: nothing more is mapped */
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    for (size_t size = (size_t)1 << 24; size >= sizeof *hoard; size /= 2)
        for (struct block *block; (block = malloc(size)); hoard = block)
            block->next = hoard;
}

static void feed(void) {
    struct rlimit limit;
    for (struct block *next; hoard; hoard = next) {
        next = hoard->next;
        free(hoard);
    }
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
}

/* ---- What is tested ----------------------------------------------------------------------- */

static int public_calls(const struct clg_test_cache *cache) {
    float a = 1, b = 1, c = 7;
    (void)cache;
    starve();
    const clgemm_status wrong = clgemm_sgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, -1,
                                             1, 1, 1, &a, 1, &b, 1, 0, &c, 1);
    const bool told = strstr(clgemm_last_error(), "m = -1") != NULL;
    const clgemm_status nothing = clgemm_sgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS,
                                               0, 1, 1, 1, &a, 1, &b, 1, 0, &c, 1);
    const clgemm_status no_place = clgemm_create(NULL, NULL);
    const clgemm_status cleared = clgemm_clear_cache();
    feed();
    return wrong == CLGEMM_STATUS_INVALID_M && told && !nothing && !cleared && c == 7 &&
                   no_place == CLGEMM_STATUS_INVALID_HANDLE
               ? 0
               : 1;
}

static int entries(const struct clg_test_cache *cache) {
    enum { LARGE = 300000 };
    (void)cache;
    clg_test_cache_keep("a program", LARGE);
    starve();
    size_t size;
    unsigned char *found = clg_disk_find("a program", &size);
    clg_disk_keep("another", (const unsigned char *)"x", 1); /* or not */
    feed();
    if (found || clg_test_cache_find("a program") != 1)
        return 1;
    clg_test_cache_keep("another", 1); /* more than is allowed */
    return clg_test_cache_find("another") == 1 && clg_test_cache_bad(cache) == 0 ? 0 : 2;
}

/* A process that has opened as many files as it may. */
static int entries_without_descriptors(const struct clg_test_cache *cache) {
    size_t size;
    struct rlimit limit;
    clg_test_cache_keep("a program", 1);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const int next = dup(STDERR_FILENO); /* one is left for the folder, none for the file in it */
    close(next);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)next + 1, limit.rlim_max}),
                     0);
    unsigned char *found = clg_disk_find("a program", &size);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    (void)cache;
    return found || clg_test_cache_find("a program") != 1 ? 1 : 0;
}

static int tuning_files(const struct clg_test_cache *cache) {
    const struct clg_facts facts = clg_test_cpu_facts();
    const struct clg_tuning_row row = clg_test_row(512, 4, 1);
    struct clg_tuning_file file, again;
    size_t size;
    char *text = clg_test_tuning_text(&facts, &row, 1, &size);
    (void)cache;
    starve();
    const bool read = clg_tuning_file_parse(&file, "x.json", text, size, NULL);
    const bool says_so = file.out_of_memory;
    clg_tuning_file_release(&file);
    feed();
    const bool reads = clg_tuning_file_parse(&again, "x.json", text, size, NULL);
    const bool same = reads && again.count == 1 && clg_test_same_row(&again.rows[0], &row);
    clg_tuning_file_release(&again);
    free(text);
    return !(read && !says_so) && same ? 0 : 1;
}

/* Lines are written, because that needs no memory. */
static int log_lines(const struct clg_test_cache *cache) {
    char path[CLG_TEST_PATH], line[64] = "";
    clg_test_join(path, cache->scratch, "log");
    setenv("CLGEMM_LOGFILE", path, 1);
    starve();
    clg_log(CLG_LOG_ALWAYS, "%d %s", 12, "words");
    feed();
    const int file = open(path, O_RDONLY);
    const ssize_t got = read(file, line, sizeof line - 1);
    close(file);
    return got > 0 && strcmp(line, "clgemm: 12 words\n") == 0 ? 0 : 1;
}

static void count(void *user, int who) {
    (void)who;
    __atomic_fetch_add((int *)user, 1, __ATOMIC_RELAXED);
}

static int helpers(const struct clg_test_cache *cache) {
    struct clg_workers *workers = clg_workers_new();
    int alone = 0, together = 0;
    (void)cache;
    starve();
    struct clg_workers *none = clg_workers_new();
    clg_workers_run(none, 3, count, &alone);
    clg_workers_run(workers, 3, count, &together);
    feed();
    clg_workers_free(workers);
    return !none && alone == 1 && together >= 1 ? 0 : 1;
}

/* ---- The tests ---------------------------------------------------------------------------- */

typedef int trial(const struct clg_test_cache *cache);

static void try(void **state, trial *what) {
#if defined(CLG_TEST_ASAN) || defined(CLG_TEST_TSAN)
    (void)state;
    (void)what;
    skip(); /* it cannot run with so little */
#else
    assert_int_equal(clg_test_fork(what, *state), 0);
#endif
}

static void arguments_are_judged(void **state) {
    try(state, public_calls);
}

static void the_cache_misses(void **state) {
    try(state, entries);
}

static void the_cache_misses_without_descriptors(void **state) {
    try(state, entries_without_descriptors);
}

static void a_tuning_file_is_said_not_to_be_read(void **state) {
    try(state, tuning_files);
}

static void the_log_goes_on(void **state) {
    try(state, log_lines);
}

static void work_is_done_alone(void **state) {
    try(state, helpers);
}

#define TEST(function) \
    cmocka_unit_test_setup_teardown(function, clg_test_cache_setup, clg_test_cache_teardown)

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(arguments_are_judged),
        TEST(the_cache_misses),
        TEST(the_cache_misses_without_descriptors),
        TEST(a_tuning_file_is_said_not_to_be_read),
        TEST(the_log_goes_on),
        TEST(work_is_done_alone),
    };
    return cmocka_run_group_tests_name("starved", tests, NULL, NULL);
}
