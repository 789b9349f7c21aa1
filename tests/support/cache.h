/* SPDX-License-Identifier: Apache-2.0
 * A program cache of the test's own, and other files to place in it. */
#ifndef CLG_TEST_CACHE_H
#define CLG_TEST_CACHE_H

#include <stddef.h>

enum { CLG_TEST_PATH = 256, CLG_TEST_CACHE_VARIABLES = 5 };

struct clg_test_cache {
    char scratch[CLG_TEST_PATH]; /* a private folder, which is removed with the cache */
    char place[CLG_TEST_PATH];   /* the value of CLGEMM_CACHE_DIR; does not exist at first */
    char folder[CLG_TEST_PATH];  /* where the entries are */
    char *was[CLG_TEST_CACHE_VARIABLES]; /* of the environment's variables for it, before */
};

/* Set-up and tear-down of a CMocka test whose *state is a struct clg_test_cache. The environment
 * names it, and all other variables of the cache are unset. Afterwards the environment is as
 * before, so that nothing is later kept in a folder that nobody removes. */
int clg_test_cache_setup(void **state);
int clg_test_cache_teardown(void **state);

/* Keeps this many bytes under the key, at most CLG_TEST_PROGRAM, always the same ones. */
enum { CLG_TEST_PROGRAM = 1 << 20 };
void clg_test_cache_keep(const char *key, size_t size);

/* 1 if the cache finds the key, 0 if it does not, -1 if it finds something else than was kept. */
int clg_test_cache_find(const char *key);

/* Fails the test unless the cache finds the key with what was kept; or unless it does not find the
 * key. */
void clg_test_cache_assert_found(const char *key);
void clg_test_cache_assert_missed(const char *key);

/* The content of the folder, which need not exist. */
struct clg_test_tally {
    int entries, temporaries, others;
};
struct clg_test_tally clg_test_cache_tally(const struct clg_test_cache *cache);

/* Fails the test unless the folder holds this many, and nothing else. */
void clg_test_cache_assert(const struct clg_test_cache *cache, int entries, int temporaries);

/* How many entries are bad. */
int clg_test_cache_bad(const struct clg_test_cache *cache);

/* The path of the key's entry, which need not exist. */
void clg_test_cache_path(const struct clg_test_cache *cache, const char *key,
                         char out[CLG_TEST_PATH]);

/* The path of some entry; "" if there is none. */
void clg_test_cache_entry(const struct clg_test_cache *cache, char out[CLG_TEST_PATH]);

/* FOLDER/NAME. */
void clg_test_join(char out[CLG_TEST_PATH], const char *folder, const char *name);

/* A whole file. These fail the test if the file cannot be written or read; free what was read. */
void clg_test_file_write(const char *path, const void *bytes, size_t size);
unsigned char *clg_test_file_read(const char *path, size_t *size);

/* Removes a file or a whole folder. It need not exist. */
void clg_test_remove(const char *path);

/* A forked child's exit status, which is what `work` returns; -1 if a signal ended it, SIGALRM
 * after a minute. For work that uses neither OpenCL nor CMocka. */
int clg_test_fork(int (*work)(const struct clg_test_cache *), const struct clg_test_cache *cache);

#endif
