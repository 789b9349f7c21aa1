/* SPDX-License-Identifier: Apache-2.0
 * Places of tuning files of the test's own, and what a table loaded from them has. */
#ifndef CLG_TEST_TUNING_PLACES_H
#define CLG_TEST_TUNING_PLACES_H

#include "support/cache.h"
#include "support/tuning.h"

/* A private folder, all of which goes with the test; in it, not there at first, the folder that
 * CLGEMM_TUNING names and the one below XDG_CONFIG_HOME. */
struct clg_test_places {
    char scratch[CLG_TEST_PATH], given[CLG_TEST_PATH], user[CLG_TEST_PATH];
    char path[CLG_TEST_PATH]; /* of the file that was put last */
    struct clg_facts facts;   /* of the device that files are for, clg_test_cpu_facts() */
    void *cache;
};

/* Set-up and tear-down of a CMocka test, whose *state is a struct clg_test_places. */
int clg_test_places_setup(void **state);
int clg_test_places_teardown(void **state);

/* For tests on a device: a private folder that CLGEMM_TUNING names, and no program cache. The
 * folder and all that is in it go with clg_test_tuning_folder_close, which returns 0. */
struct clg_test_cache *clg_test_tuning_folder_open(void);
int clg_test_tuning_folder_close(struct clg_test_cache *folder);

/* Makes the folder, and in it a file of that device with clg_test_row(1000, reg_n, 1). */
void clg_test_places_put(struct clg_test_places *places, const char *folder, const char *name,
                         const struct clg_facts *device, int reg_n);

/* REG_N of the row that m = n = k = `size` gets by this table, which is released; 0: none. */
int clg_test_found_in(const struct clg_test_places *places, struct clg_tuning *table, int64_t size);

/* The same by a table that is loaded now; and what one place has in it. */
int clg_test_found(const struct clg_test_places *places, int64_t size);
struct clg_tuning_source clg_test_source(const struct clg_test_places *places,
                                         enum clg_tuning_origin origin);

#endif
