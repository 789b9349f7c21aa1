/* SPDX-License-Identifier: Apache-2.0
 * Writing tuning files: where, merged with the present content, without changing other files, and
 * by many at once; text that finds no memory. Without a device. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"
#include "support/child.h"
#include "support/matrix.h"
#include "support/tuning_places.h"

enum { WRITERS = 6, ROUNDS = 20 };

static void write_row(struct clg_test_places *p, const char *to, const struct clg_tuning_row *row) {
    clg_test_assert_success(clg_tuning_write(to, &p->facts, row, 1, NULL, p->path, sizeof p->path));
}

static void written_where_the_environment_says(void **state) {
    struct clg_test_places *p = *state;
    const struct clg_tuning_row row = clg_test_row(1000, 5, 1);
    char file[CLG_TEST_PATH];
    write_row(p, NULL, &row);
    assert_memory_equal(p->path, p->given, strlen(p->given));
    assert_int_equal(clg_test_found(p, 1000), 5);
    clg_test_join(file, p->scratch, "new/own.json"); /* not a folder: it ends in .json */
    setenv("CLGEMM_TUNING", file, 1);
    write_row(p, NULL, &row);
    assert_string_equal(p->path, file);
    unsetenv("CLGEMM_TUNING");
    write_row(p, NULL, &row);
    assert_memory_equal(p->path, p->user, strlen(p->user));
    assert_int_equal(clg_test_found(p, 1000), 5);
    assert_int_equal(chdir(p->scratch), 0);
    write_row(p, "here.json", &row);
    assert_int_equal(access("here.json", R_OK), 0);
    assert_int_equal(chdir("/"), 0);
    setenv("CLGEMM_TUNING", "0", 1);
    clg_test_assert_status(clg_tuning_write(NULL, &p->facts, &row, 1, NULL, NULL, 0),
                           CLGEMM_STATUS_INVALID_TUNING);
    clg_test_assert_error_says("CLGEMM_TUNING is 0");
    clg_test_assert_status(clg_tuning_write("/proc/nothing", &p->facts, &row, 1, NULL, NULL, 0),
                           CLGEMM_STATUS_INVALID_TUNING);
    clg_test_assert_error_says("/proc/nothing cannot be created");
}

static void merged_with_what_is_there(void **state) {
    struct clg_test_places *p = *state;
    struct clg_tuning_row row = clg_test_row(1000, 5, 4);
    write_row(p, p->given, &row);
    row = clg_test_row(3000, 6, 4);
    write_row(p, p->given, &row);
    assert_int_equal(clg_test_found(p, 1000), 5);
    assert_int_equal(clg_test_found(p, 3000), 6);
    row = clg_test_row(1000, 7, 5); /* slower on the same day */
    write_row(p, p->given, &row);
    assert_int_equal(clg_test_found(p, 1000), 5);
    row.ms = 3;
    write_row(p, p->given, &row);
    assert_int_equal(clg_test_found(p, 1000), 7);
    assert_int_equal(clg_test_source(p, CLG_TUNING_GIVEN).rows, 2);
}

static int64_t found_up(struct clg_test_places *p) {
    bool own_driver = false;
    struct clg_tuning *table = clg_tuning_load(&p->facts);
    const struct clg_host_speeds *speeds = clg_tuning_host_speeds(table, &own_driver);
    const int64_t up = speeds ? speeds->up_mb_s : 0;
    assert_true(own_driver == (up != 0));
    clg_tuning_release(table);
    return up;
}

/* Beside rows, which stay. The later measurement wins. */
static void host_speeds_are_kept(void **state) {
    struct clg_test_places *p = *state;
    const struct clg_tuning_row row = clg_test_row(1000, 5, 4);
    struct clg_host_speeds speeds = {100, 2, 3, 4, 5, 6, "2026-02-03", "0.2.0"};
    assert_int_equal(found_up(p), 0);
    write_row(p, NULL, &row);
    assert_int_equal(found_up(p), 0);
    clg_test_assert_success(clg_tuning_write(NULL, &p->facts, NULL, 0,
                                             &(struct clg_tuning_once){.speeds = speeds}, NULL, 0));
    assert_int_equal(found_up(p), 100);
    assert_int_equal(clg_test_found(p, 1000), 5);
    speeds.up_mb_s = 200;
    strcpy(speeds.date, "2026-02-02");
    clg_test_assert_success(clg_tuning_write(NULL, &p->facts, NULL, 0,
                                             &(struct clg_tuning_once){.speeds = speeds}, NULL, 0));
    assert_int_equal(found_up(p), 100);
    clg_tuning_stamp(speeds.date, speeds.version);
    clg_test_assert_success(clg_tuning_write(NULL, &p->facts, NULL, 0,
                                             &(struct clg_tuning_once){.speeds = speeds}, NULL, 0));
    write_row(p, NULL, &row);
    assert_int_equal(found_up(p), 200);
}

/* If the last part of the path is a link, its target is written; the links stay. */
static void links_are_followed(void **state) {
    struct clg_test_places *p = *state;
    static const char *const links[][2] = {
        {"near.json", "there.json"},   /* in the same folder */
        {"far.json", "sub/far.json"},  /* in another folder */
        {"chain.json", "far.json"},    /* a link to a link */
        {"dangling.json", "new.json"}, /* to a file that does not exist */
        {"absolute.json", "/SCRATCH"},
    };
    struct clg_tuning_row row = clg_test_row(1000, 5, 4);
    char path[CLG_TEST_PATH], real[CLG_TEST_PATH], to[CLG_TEST_PATH];
    assert_int_equal(chdir(p->scratch), 0);
    assert_int_equal(mkdir("sub", 0700), 0);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        clg_test_join(path, p->scratch, links[i][0]);
        clg_test_join(real, p->scratch, "sub/absolute.json");
        assert_int_equal(symlink(*links[i][1] == '/' ? real : links[i][1], path), 0);
        write_row(p, path, &row);
        assert_string_equal(p->path, path);
        assert_true(readlink(path, to, sizeof to) > 0);
        assert_int_equal(access(path, R_OK), 0);
        row.ms /= 2;
    }
    write_row(p, "near.json", &row); /* relative */
    assert_true(readlink("near.json", to, sizeof to) > 0);
    assert_int_equal(symlink("circle.json", "circle.json"), 0);
    clg_test_assert_status(clg_tuning_write("circle.json", &p->facts, &row, 1, NULL, NULL, 0),
                           CLGEMM_STATUS_INVALID_TUNING);
    clg_test_assert_error_says("links that lead nowhere");
    /* The device's own file in a folder. */
    write_row(p, p->given, &row);
    assert_int_equal(rename(p->path, real), 0);
    assert_int_equal(symlink(real, p->path), 0);
    row = clg_test_row(3000, 6, 4);
    write_row(p, p->given, &row);
    assert_true(readlink(p->path, to, sizeof to) > 0);
    assert_int_equal(clg_test_found(p, 1000), 5);
    assert_int_equal(clg_test_found(p, 3000), 6);
    assert_int_equal(chdir("/"), 0);
}

static void what_is_not_ours_stays(void **state) {
    struct clg_test_places *p = *state;
    const struct clg_tuning_row row = clg_test_row(1000, 7, 0.1);
    struct clg_facts other = p->facts;
    static const char *const says[] = {"is for another device; it was", "version of the driver",
                                       "is no tuning file", "its schema is"};
    static const char *const texts[] = {"{\"no\": 1}\n", "{\"schema\": \"clgemm-tuning/2\"}\n"};
    for (int i = 0; i < 4; i++) {
        size_t before, after;
        strcpy(other.name, i == 0 ? "another" : p->facts.name);
        strcpy(other.driver, i == 1 ? "0.9" : p->facts.driver);
        clg_test_places_put(p, p->given, "a.json", &other, 5);
        if (i >= 2)
            clg_test_file_write(p->path, texts[i - 2], strlen(texts[i - 2]));
        unsigned char *old = clg_test_file_read(p->path, &before);
        clg_test_assert_status(clg_tuning_write(p->path, &p->facts, &row, 1, NULL, NULL, 0),
                               CLGEMM_STATUS_INVALID_TUNING);
        clg_test_assert_error_says(says[i]);
        unsigned char *now = clg_test_file_read(p->path, &after);
        assert_int_equal(before, after);
        assert_memory_equal(old, now, before);
        free(old);
        free(now);
    }
}

/* Child: writes its own rows, one at a time, and reads the file, which must be whole. */
static int write_many(const struct clg_test_places *p) {
    for (int round = 0; round < ROUNDS; round++) {
        const struct clg_tuning_row row =
            clg_test_row((int64_t)getpid() * ROUNDS % (1 << 28) + round + 1, 5, 1);
        if (clg_tuning_write(p->given, &p->facts, &row, 1, NULL, NULL, 0))
            return 1;
        struct clg_tuning *table = clg_tuning_load(&p->facts);
        const struct clg_tuning_source *source = clg_tuning_source(table, CLG_TUNING_GIVEN);
        const bool whole = source->faults == 0 && source->rows > (size_t)round;
        clg_tuning_release(table);
        if (!whole)
            return 2;
    }
    return 0;
}

static void many_writers_lose_nothing(void **state) {
    struct clg_test_places *p = *state;
    int pids[WRITERS];
    fflush(NULL);
    for (int i = 0; i < WRITERS; i++)
        if ((pids[i] = fork()) == 0)
            _exit(write_many(p));
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(clg_test_wait_for(pids[i]), 0);
    assert_int_equal(clg_test_source(p, CLG_TUNING_GIVEN).rows, WRITERS * ROUNDS);
    assert_int_equal(clg_test_source(p, CLG_TUNING_GIVEN).faults, 0);
}

/* ---- Little memory ---- */

/* Child: writes some MB while less than that is left. */
static int format_with_little_memory(const struct clg_test_cache *cache) {
    enum { MANY = 100000, LEFT = 8 << 20 };
    struct clg_tuning_row *rows = clg_test_alloc(MANY * sizeof *rows);
    const struct clg_facts facts = clg_test_cpu_facts();
    struct clg_tuning_file file = {.device = clg_tuning_device_of(&facts), .rows = rows};
    unsigned long pages = 0;
    size_t size = 0;
    FILE *memory = fopen("/proc/self/statm", "r");
    (void)cache;
    if (!memory || fscanf(memory, "%lu", &pages) != 1)
        return 2;
    fclose(memory);
    for (int i = 0; i < MANY; i++)
        rows[i] = clg_test_row(i + 1, 5, 1);
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + LEFT;
    if (setrlimit(RLIMIT_AS, &limit))
        return 3;
    for (int round = 0; round < 2; round++) {
        file.count = MANY;
        if (clg_tuning_file_format(&file, &size))
            return 4;
        file.count = 2;
        char *text = clg_tuning_file_format(&file, &size); /* nothing was leaked */
        if (!text)
            return 5;
        free(text);
    }
    return 0;
}

static void a_text_without_memory_is_none(void **state) {
    const struct clg_test_places *p = *state;
#ifdef CLG_TEST_ASAN
    skip(); /* its runtime needs all addresses */
#endif
    assert_int_equal(clg_test_fork(format_with_little_memory, p->cache), 0);
}

#define TEST(name) \
    cmocka_unit_test_setup_teardown(name, clg_test_places_setup, clg_test_places_teardown)

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(written_where_the_environment_says),
        TEST(merged_with_what_is_there),
        TEST(host_speeds_are_kept),
        TEST(links_are_followed),
        TEST(links_are_followed),
        TEST(what_is_not_ours_stays),
        TEST(many_writers_lose_nothing),

        TEST(a_text_without_memory_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
