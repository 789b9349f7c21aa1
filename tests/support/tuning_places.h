/* SPDX-License-Identifier: Apache-2.0
 * Places for tuning files of the test's own, and the content of a table loaded from them. */
#ifndef CLG_TEST_TUNING_PLACES_H
#define CLG_TEST_TUNING_PLACES_H

#include "support/cache.h"
#include "support/tuning.h"

/* A private folder, which is removed with the test. In it, not existing at first, the folder that
 * CLGEMM_TUNING names and the one below XDG_CONFIG_HOME. */
struct clg_test_places {
    char scratch[CLG_TEST_PATH], given[CLG_TEST_PATH], user[CLG_TEST_PATH];
    char path[CLG_TEST_PATH]; /* of the last file */
    struct clg_facts facts;   /* of the device that files are for, clg_test_cpu_facts() */
    void *cache;
};

/* Set-up and tear-down of a CMocka test, whose *state is a struct clg_test_places. */
int clg_test_places_setup(void **state);
int clg_test_places_teardown(void **state);

/* For tests on a device: a private folder that CLGEMM_TUNING names, and no program cache.
 * clg_test_tuning_folder_close removes the folder and its content and returns 0. */
struct clg_test_cache *clg_test_tuning_folder_open(void);
int clg_test_tuning_folder_close(struct clg_test_cache *folder);

/* Creates the folder, and in it a file of that device with clg_test_row(1000, reg_n, 1). */
void clg_test_places_put(struct clg_test_places *places, const char *folder, const char *name,
                         const struct clg_facts *device, int reg_n);

/* Adds a break-even to a file, as clg_tuning_write. */
clgemm_status clg_test_write_break_even(const char *path, const struct clg_facts *facts,
                                        const struct clg_break_even *break_even, char *written,
                                        size_t size);

/* REG_N of the row that this table has for m = n = k = `size`, 0 without one; releases the
 * table. */
int clg_test_found_in(const struct clg_test_places *places, struct clg_tuning *table, int64_t size);

/* The same with a table that is loaded now; and the content of one place. */
int clg_test_found(const struct clg_test_places *places, int64_t size);
struct clg_tuning_source clg_test_source(const struct clg_test_places *places,
                                         enum clg_tuning_origin origin);

#endif
