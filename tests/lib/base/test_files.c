/* SPDX-License-Identifier: Apache-2.0
 * Private files and folders: what is trusted, and that a write leaves a whole file or nothing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "support/cache.h"
#include "support/check.h"

static const char text[] = "head and body";
enum { HEAD = 5, SOMEONE_ELSE = 65534 };

static int open_place(const struct clg_test_cache *cache) {
    const char *why = NULL;
    int folder = clg_folder_open(cache->place, true, &why);
    assert_true(folder >= 0);
    return folder;
}

static bool write_text(int folder, const char *name) {
    return clg_file_write(folder, name, text, HEAD, text + HEAD, sizeof text - HEAD);
}

static int mode_of(int folder, const char *name) {
    struct stat info;
    assert_int_equal(fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW), 0);
    return info.st_mode & 07777;
}

static size_t count_files(int folder) {
    struct clg_file_info *files = NULL;
    size_t count = 0;
    assert_true(clg_folder_list(folder, &files, &count));
    free(files);
    return count;
}

static bool can_read(int folder, const char *name, size_t most) {
    size_t size = 0;
    unsigned char *bytes = clg_file_read(folder, name, most, &size);
    free(bytes);
    return bytes != NULL;
}

static void written_is_read(void **state) {
    int folder = open_place(*state);
    for (int round = 0; round < 2; round++) { /* the second over the first */
        size_t size = 0;
        assert_true(write_text(folder, "a"));
        unsigned char *bytes = clg_file_read(folder, "a", sizeof text, &size);
        assert_non_null(bytes);
        assert_int_equal(size, sizeof text);
        assert_memory_equal(bytes, text, sizeof text);
        free(bytes);
    }
    assert_int_equal(count_files(folder), 1);
    assert_true(clg_file_exists(folder, "a"));
    clg_file_remove(folder, "a");
    assert_false(clg_file_exists(folder, "a"));
    assert_false(can_read(folder, "a", sizeof text));
    close(folder);
}

/* The umask removes bits, at worst the owner's own. */
static void private_whatever_the_umask(void **state) {
    static const mode_t masks[] = {0, 0077, 0277, 0777};
    const struct clg_test_cache *cache = *state;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        const char *why = NULL;
        char inner[CLG_TEST_PATH];
        clg_test_join(inner, cache->place, "inner");
        mode_t before = umask(masks[i]);
        int folder = clg_folder_open(inner, true, &why);
        bool wrote = folder >= 0 && write_text(folder, "a");
        umask(before);
        assert_true(wrote);
        assert_int_equal(mode_of(AT_FDCWD, cache->place), 0700);
        assert_int_equal(mode_of(AT_FDCWD, inner), 0700);
        assert_int_equal(mode_of(folder, "a"), 0600);
        close(folder);
        clg_test_remove(cache->place);
    }
}

/* ---- Writes that fail ---- */

/* A file size limit, with the default action for SIGXFSZ. 0: success. */
static int write_past_limit(const struct clg_test_cache *cache) {
    const char *why = NULL;
    static const struct rlimit limit = {HEAD + 1, HEAD + 1};
    sigset_t before, after, pending;
    int folder = clg_folder_open(cache->place, true, &why);
    signal(SIGXFSZ, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    if (folder < 0 || setrlimit(RLIMIT_FSIZE, &limit))
        return 1;
    if (write_text(folder, "a"))
        return 2;
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    sigpending(&pending);
    if (sigismember(&before, SIGXFSZ) != sigismember(&after, SIGXFSZ))
        return 3;
    return sigismember(&pending, SIGXFSZ) ? 4 : 0;
}

/* The program had the signal blocked and pending; it still has. */
static int write_with_signal_pending(const struct clg_test_cache *cache) {
    sigset_t set, pending;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGXFSZ);
    int code = write_past_limit(cache);
    sigpending(&pending);
    return code == 4 && sigismember(&pending, SIGXFSZ) ? 0 : 10 + code;
}

static void failed_write_leaves_nothing(void **state) {
    const struct clg_test_cache *cache = *state;
    int folder = open_place(cache);
    assert_int_equal(clg_test_fork(write_past_limit, cache), 0);
    assert_int_equal(count_files(folder), 0);
    assert_int_equal(clg_test_fork(write_with_signal_pending, cache), 0);
    assert_int_equal(count_files(folder), 0);
    assert_int_equal(mkdirat(folder, "a", 0700), 0); /* cannot be renamed over */
    assert_false(write_text(folder, "a"));
    assert_int_equal(count_files(folder), 0);
    assert_int_equal(unlinkat(folder, "a", AT_REMOVEDIR), 0);
    assert_true(write_text(folder, "a"));
    close(folder);
}

static void folder_that_vanished_takes_no_file(void **state) {
    const struct clg_test_cache *cache = *state;
    int folder = open_place(cache);
    clg_test_remove(cache->place);
    assert_false(write_text(folder, "a"));
    assert_false(can_read(folder, "a", sizeof text));
    assert_int_equal(count_files(folder), 0);
    close(folder);
}

/* ---- What is not trusted ---- */

static void files_not_trusted(void **state) {
    static const mode_t modes[] = {0620, 0602, 0666};
    int folder = open_place(*state);
    assert_true(write_text(folder, "a"));
    assert_true(can_read(folder, "a", sizeof text));
    assert_false(can_read(folder, "a", sizeof text - 1)); /* longer than allowed */
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(fchmodat(folder, "a", modes[i], 0), 0);
        assert_false(can_read(folder, "a", sizeof text));
    }
    assert_int_equal(count_files(folder), 1); /* listed all the same, to be removed */
    assert_int_equal(fchmodat(folder, "a", 0600, 0), 0);
    assert_int_equal(symlinkat("a", folder, "link"), 0);
    assert_int_equal(mkfifoat(folder, "fifo", 0600), 0); /* must not hang either */
    assert_int_equal(mkdirat(folder, "folder", 0700), 0);
    assert_int_equal(mknodat(folder, "empty", S_IFREG | 0600, 0), 0);
    static const char *const names[] = {"link", "fifo", "folder", "empty", "nothing", "a/b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_false(can_read(folder, names[i], sizeof text));
    assert_int_equal(count_files(folder), 4); /* a, link, fifo, empty */
    if (geteuid() == 0) {
        assert_int_equal(fchownat(folder, "a", SOMEONE_ELSE, (gid_t)-1, 0), 0);
        assert_false(can_read(folder, "a", sizeof text));
    }
    close(folder);
}

static void assert_no_folder(const char *path, bool create, const char *expected) {
    const char *why = "";
    assert_int_equal(clg_folder_open(path, create, &why), -1);
    assert_string_equal(why, expected);
}

static void folders_not_trusted(void **state) {
    static const mode_t modes[] = {0777, 0770, 0702};
    static const char someone[] = "belongs to, or can be written by, another user";
    const struct clg_test_cache *cache = *state;
    char path[CLG_TEST_PATH], below[CLG_TEST_PATH];
    assert_int_equal(chdir(cache->scratch), 0);
    assert_no_folder("relative", true, "is not an absolute path");
    assert_no_folder("", true, "is not an absolute path");
    assert_int_equal(access("relative", F_OK), -1);
    assert_int_equal(chdir("/"), 0);
    assert_no_folder(cache->place, false, clg_folder_absent);
    close(open_place(cache));
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(cache->place, modes[i]), 0);
        assert_no_folder(cache->place, true, someone);
    }
    assert_int_equal(chmod(cache->place, 0755), 0); /* others may look */
    close(open_place(cache));
    clg_test_join(path, cache->scratch, "link");
    assert_int_equal(symlink(cache->place, path), 0);
    assert_no_folder(path, true, "cannot be opened");
    clg_test_join(below, path, ""); /* still a link, though open(2) then follows it */
    assert_no_folder(below, true, "cannot be opened");
    clg_test_join(path, cache->place, "file");
    clg_test_file_write(path, text, sizeof text);
    assert_no_folder(path, true, "cannot be opened");
    clg_test_join(below, path, "below");
    assert_no_folder(below, true, "cannot be created");
    if (geteuid() == 0) {
        assert_int_equal(chown(cache->place, SOMEONE_ELSE, (gid_t)-1), 0);
        assert_no_folder(cache->place, true, someone);
    }
}

/* ---- Listing ---- */

static void set_used(int folder, const char *name, time_t seconds) {
    const struct timespec times[2] = {{seconds, 0}, {seconds, 0}};
    assert_int_equal(utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW), 0);
}

static void listed_by_use(void **state) {
    static const char *const expected[] = {"b", "d", "c", "a"};
    enum { FILES = sizeof expected / sizeof *expected };
    int folder = open_place(*state);
    char longer[CLG_FILE_NAME + 1];
    memset(longer, 'x', CLG_FILE_NAME);
    longer[CLG_FILE_NAME] = '\0';
    assert_true(write_text(folder, longer)); /* not the library's: left out */
    for (int i = 0; i < FILES; i++) {
        assert_true(write_text(folder, expected[i]));
        set_used(folder, expected[i], 1000 + i);
    }
    set_used(folder, "c", 900);
    clg_file_touch(folder, "c");
    set_used(folder, "a", 10000000000); /* in nanoseconds, past INT64_MAX */
    struct clg_file_info *files = NULL;
    size_t count = 0;
    assert_true(clg_folder_list(folder, &files, &count));
    assert_int_equal(count, FILES);
    for (int i = 0; i < FILES; i++) {
        assert_string_equal(files[i].name, expected[i]);
        assert_int_equal(files[i].bytes, sizeof text);
    }
    free(files);
    close(folder);
}

static void first_lines(void **state) {
    const struct clg_test_cache *cache = *state;
    char path[CLG_TEST_PATH], line[8];
    clg_test_join(path, cache->scratch, "lines");
    assert_false(clg_file_line(path, line, sizeof line));
    assert_string_equal(line, "");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("one\ntwo and more\n", file);
    fclose(file);
    assert_true(clg_file_line(path, line, sizeof line));
    assert_string_equal(line, "one\n");
    assert_true(clg_file_line(path, line, 3));
    assert_string_equal(line, "on");
    assert_int_equal(truncate(path, 0), 0);
    assert_false(clg_file_line(path, line, sizeof line));
    assert_string_equal(line, "");
}

int main(void) {
#define CACHE_TEST(name) \
    cmocka_unit_test_setup_teardown(name, clg_test_cache_setup, clg_test_cache_teardown)
    static const struct CMUnitTest tests[] = {
        CACHE_TEST(written_is_read),
        CACHE_TEST(private_whatever_the_umask),
        CACHE_TEST(failed_write_leaves_nothing),
        CACHE_TEST(folder_that_vanished_takes_no_file),
        CACHE_TEST(files_not_trusted),
        CACHE_TEST(folders_not_trusted),
        CACHE_TEST(listed_by_use),
        CACHE_TEST(first_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
