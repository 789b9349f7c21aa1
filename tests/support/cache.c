/* SPDX-License-Identifier: Apache-2.0
 * A program cache of the test's own, and other files to place in it. */
#define _GNU_SOURCE
#include "support/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "program/disk.h"
#include "support/check.h"
#include "support/child.h"
#include "support/matrix.h"

enum { OPEN_FOLDERS = 16, LONGEST_WORK_S = 60 };

void clg_test_join(char out[CLG_TEST_PATH], const char *folder, const char *name) {
    int wrote = snprintf(out, CLG_TEST_PATH, "%s/%s", folder, name);
    assert_in_range(wrote, 1, CLG_TEST_PATH - 1);
}

static const char *const variables[CLG_TEST_CACHE_VARIABLES] = {
    "CLGEMM_CACHE", "CLGEMM_CACHE_DIR", "CLGEMM_CACHE_MAX_SIZE", "CLGEMM_VERIFY", "XDG_CACHE_HOME"};

int clg_test_cache_setup(void **state) {
    const char *below = getenv("TMPDIR");
    struct clg_test_cache *cache = clg_test_alloc(sizeof *cache);
    clg_test_join(cache->scratch, below && *below == '/' ? below : "/tmp", "clgemm-test-XXXXXX");
    assert_non_null(mkdtemp(cache->scratch));
    clg_test_join(cache->place, cache->scratch, "programs");
    for (int i = 0; i < CLG_TEST_CACHE_VARIABLES; i++) {
        const char *was = getenv(variables[i]);
        cache->was[i] = was ? strdup(was) : NULL;
        unsetenv(variables[i]);
    }
    setenv("CLGEMM_CACHE_DIR", cache->place, 1);
    setenv("CLGEMM_VERIFY", "off", 1); /* so that there are only programs */
    clg_disk_path(cache->folder, sizeof cache->folder);
    *state = cache;
    return 0;
}

int clg_test_cache_teardown(void **state) {
    struct clg_test_cache *cache = *state;
    clg_test_remove(cache->scratch);
    for (int i = 0; i < CLG_TEST_CACHE_VARIABLES; i++) {
        if (cache->was[i])
            setenv(variables[i], cache->was[i], 1);
        else
            unsetenv(variables[i]);
        free(cache->was[i]);
    }
    free(cache);
    return 0;
}

/* ---- Entries ---- */

/* It never fails a CMocka test, because children of a test use it too. */
static const unsigned char *program_bytes(void) {
    static unsigned char bytes[CLG_TEST_PROGRAM];
    for (size_t i = 0; i < sizeof bytes && bytes[sizeof bytes - 1] == 0; i++)
        bytes[i] = (unsigned char)(1 + i % 251 + i / 65536 % 4);
    return bytes;
}

void clg_test_cache_keep(const char *key, size_t size) {
    clg_disk_keep(key, program_bytes(), size);
}

int clg_test_cache_find(const char *key) {
    size_t size = 0;
    unsigned char *found = clg_disk_find(key, &size);
    if (!found)
        return 0;
    const bool right = size <= CLG_TEST_PROGRAM && memcmp(found, program_bytes(), size) == 0;
    free(found);
    return right ? 1 : -1;
}

void clg_test_cache_path(const struct clg_test_cache *cache, const char *key,
                         char out[CLG_TEST_PATH]) {
    char text[CLG_HASH_TEXT], name[CLG_FILE_NAME];
    const struct clg_hash hash = clg_hash_of(key, strlen(key), NULL, 0);
    clg_hash_text(&hash, text);
    snprintf(name, sizeof name, "%s.bin", text);
    clg_test_join(out, cache->folder, name);
}

struct clg_test_tally clg_test_cache_tally(const struct clg_test_cache *cache) {
    struct clg_test_tally tally = {0, 0, 0};
    DIR *folder = opendir(cache->folder);
    if (!folder)
        return tally;
    for (const struct dirent *item; (item = readdir(folder));)
        if (clg_disk_is_entry(item->d_name))
            tally.entries++;
        else if (clg_file_is_temporary(item->d_name))
            tally.temporaries++;
        else if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0)
            tally.others++;
    closedir(folder);
    return tally;
}

void clg_test_cache_assert(const struct clg_test_cache *cache, int entries, int temporaries) {
    const struct clg_test_tally tally = clg_test_cache_tally(cache);
    assert_int_equal(tally.entries, entries);
    assert_int_equal(tally.temporaries, temporaries);
    assert_int_equal(tally.others, 0);
}

int clg_test_cache_bad(const struct clg_test_cache *cache) {
    int bad = 0;
    DIR *folder = opendir(cache->folder);
    assert_non_null(folder);
    for (const struct dirent *item; (item = readdir(folder));) {
        struct clg_entry entry;
        unsigned char *bytes = NULL;
        if (!clg_disk_is_entry(item->d_name))
            continue;
        const char *why = clg_disk_read(dirfd(folder), item->d_name, &entry, &bytes);
        if (why)
            print_error("%s %s\n", item->d_name, why);
        bad += why != NULL;
        free(bytes);
    }
    closedir(folder);
    return bad;
}

void clg_test_cache_entry(const struct clg_test_cache *cache, char out[CLG_TEST_PATH]) {
    out[0] = '\0';
    DIR *folder = opendir(cache->folder);
    for (const struct dirent *item; folder && (item = readdir(folder));)
        if (clg_disk_is_entry(item->d_name))
            clg_test_join(out, cache->folder, item->d_name);
    if (folder)
        closedir(folder);
}

/* ---- Files ---- */

void clg_test_file_write(const char *path, const void *bytes, size_t size) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), size);
    close(file);
}

unsigned char *clg_test_file_read(const char *path, size_t *size) {
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(fstat(file, &info), 0);
    *size = (size_t)info.st_size;
    unsigned char *bytes = clg_test_alloc(*size);
    assert_int_equal(read(file, bytes, *size), *size);
    close(file);
    return bytes;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place) {
    (void)info;
    (void)type;
    (void)place;
    remove(path);
    return 0;
}

void clg_test_remove(const char *path) {
    nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

int clg_test_fork(int (*work)(const struct clg_test_cache *), const struct clg_test_cache *cache) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(LONGEST_WORK_S);
        _exit(work(cache));
    }
    return pid > 0 ? clg_test_wait_for(pid) : -1;
}

void clg_test_cache_assert_found(const char *key) {
    assert_int_equal(clg_test_cache_find(key), 1);
}

void clg_test_cache_assert_missed(const char *key) {
    assert_int_equal(clg_test_cache_find(key), 0);
}
