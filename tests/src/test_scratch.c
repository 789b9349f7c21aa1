/* SPDX-License-Identifier: Apache-2.0
 * Temporary folders and files: what killed runs have left is removed, and nothing else. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/common/scratch.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/child.h"

static char place[CLG_TEST_PATH];

static const char *in_place(const char *name) {
    static char path[CLG_TEST_PATH];
    clg_test_join(path, place, name);
    return path;
}

static bool is_there(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0;
}

/* No process has this number. */
#define DEAD "2147483646"

static void put_file(const char *name) {
    clg_test_file_write(in_place(name), "x", 1);
}

static void put_folder(const char *name) {
    char inner[64];
    assert_int_equal(mkdir(in_place(name), 0700), 0);
    snprintf(inner, sizeof inner, "%s/inner", name);
    put_file(inner);
}

static void made_with_a_name_and_a_lock(void **state) {
    (void)state;
    char folder[PATH_MAX], file[PATH_MAX], prefix[PATH_MAX];
    struct stat status;
    const int folder_fd = scratch_make_folder("test", folder);
    const int file_fd = scratch_make_file("test", file);
    assert_true(folder_fd >= 0 && file_fd >= 0);
    snprintf(prefix, sizeof prefix, "%s/clgemm-test-%ld-", place, (long)getpid());
    assert_memory_equal(folder, prefix, strlen(prefix));
    assert_memory_equal(file, prefix, strlen(prefix));
    assert_int_equal(stat(folder, &status), 0);
    assert_int_equal(status.st_mode, S_IFDIR | 0700);
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(status.st_mode, S_IFREG | 0600);
    assert_true(fcntl(folder_fd, F_GETFD) & FD_CLOEXEC);
    const int again = open(folder, O_RDONLY);
    assert_int_equal(flock(again, LOCK_EX | LOCK_NB), -1);
    close(again);
    scratch_remove(folder);
    scratch_remove(file);
    assert_false(is_there(folder) || is_there(file));
    close(folder_fd);
    close(file_fd);
}

static void what_was_left_goes(void **state) {
    (void)state;
    char path[PATH_MAX];
    put_file("other");
    put_folder("clgemm-test-" DEAD "-abcdef");
    assert_int_equal(
        symlink(in_place("other"),
                strcat(strcpy(path, in_place("clgemm-test-" DEAD "-abcdef")), "/link")),
        0);
    put_file("clgemm-test-" DEAD "-ABCDEF");
    close(scratch_make_folder("test", path));
    assert_false(is_there(in_place("clgemm-test-" DEAD "-abcdef")));
    assert_false(is_there(in_place("clgemm-test-" DEAD "-ABCDEF")));
    assert_true(is_there(in_place("other")));
}

static void the_rest_stays(void **state) {
    (void)state;
    static const char *const names[] = {
        "clgemm-test-1-abcdef",           /* a process that is there */
        "clgemm-other-" DEAD "-abcdef",   /* of another kind */
        "clgemm-test-" DEAD,              /* not such a name */
        "clgemm-test-" DEAD "-abcde",     /* likewise */
        "clgemm-test-" DEAD "-abcdefg",   /* likewise */
        "clgemm-test-abcdef",             /* likewise */
        "clgemm-test--5-abcdef",          /* likewise */
        "clgemm-test-99999999999-abcdef", /* likewise */
        "xclgemm-test-" DEAD "-abcdef",   /* likewise */
        "clgemm-test-" DEAD "-locked",    /* in use */
        "clgemm-test-" DEAD "-others",    /* of another user */
    };
    enum { NAMES = sizeof names / sizeof *names, LOCKED = NAMES - 2, OTHERS = NAMES - 1 };
    char path[PATH_MAX];
    for (int i = 0; i < NAMES; i++)
        put_folder(names[i]);
    const int locked = open(in_place(names[LOCKED]), O_RDONLY);
    assert_int_equal(flock(locked, LOCK_EX), 0);
    const bool root = geteuid() == 0;
    if (root)
        assert_int_equal(chown(in_place(names[OTHERS]), 12345, (gid_t)-1), 0);
    char outside[CLG_TEST_PATH], link[] = "clgemm-test-" DEAD "-linked";
    snprintf(outside, sizeof outside, "%s", in_place(names[0]));
    assert_int_equal(symlink(outside, in_place(link)), 0);
    close(scratch_make_file("test", path));
    for (int i = 0; i < NAMES; i++) {
        char inner[64];
        snprintf(inner, sizeof inner, "%s/inner", names[i]);
        if (!is_there(in_place(inner)) && (i != OTHERS || root))
            print_error("%s has gone\n", names[i]);
        assert_true(is_there(in_place(inner)) || (i == OTHERS && !root));
    }
    close(locked);
}

static void a_long_name_is_told(void **state) {
    (void)state;
    static char name[PATH_MAX + 2];
    char path[PATH_MAX];
    memset(name, 'x', PATH_MAX - 10);
    name[0] = '/';
    setenv("TMPDIR", name, 1);
    assert_int_equal(scratch_make_folder("test", path), -1);
    setenv("TMPDIR", place, 1);
}

static int make_place(void **state) {
    (void)state;
    strcpy(place, "/tmp/clgemm-test-scratch-XXXXXX");
    return mkdtemp(place) ? setenv("TMPDIR", place, 1) : -1;
}

static int remove_place(void **state) {
    (void)state;
    clg_test_remove(place);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(made_with_a_name_and_a_lock),
        TEST(what_was_left_goes),
        TEST(the_rest_stays),
        TEST(a_long_name_is_told),
    };
    return cmocka_run_group_tests_name("scratch", tests, NULL, NULL);
}
