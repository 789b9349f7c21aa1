/* SPDX-License-Identifier: Apache-2.0
 * Places of tuning files of the test's own. */
#define _GNU_SOURCE
#include "support/tuning_places.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"
#include "support/matrix.h"

int clg_test_places_setup(void **state) {
    struct clg_test_places *places = clg_test_alloc(sizeof *places);
    char config[CLG_TEST_PATH];
    clg_test_cache_setup(&places->cache);
    const struct clg_test_cache *cache = places->cache;
    places->facts = clg_test_cpu_facts();
    memcpy(places->scratch, cache->scratch, sizeof places->scratch);
    clg_test_join(places->given, places->scratch, "given");
    clg_test_join(config, places->scratch, "config");
    clg_test_join(places->user, config, "clgemm/tuning");
    setenv("CLGEMM_TUNING", places->given, 1);
    setenv("XDG_CONFIG_HOME", config, 1);
    *state = places;
    return 0;
}

int clg_test_places_teardown(void **state) {
    struct clg_test_places *places = *state;
    unsetenv("CLGEMM_TUNING");
    unsetenv("XDG_CONFIG_HOME");
    clg_test_cache_teardown(&places->cache);
    free(places);
    return 0;
}

struct clg_test_cache *clg_test_tuning_folder_open(void) {
    void *cache = NULL;
    clg_test_cache_setup(&cache);
    struct clg_test_cache *folder = cache;
    setenv("CLGEMM_CACHE", "0", 1);
    setenv("CLGEMM_TUNING", folder->scratch, 1);
    return folder;
}

int clg_test_tuning_folder_close(struct clg_test_cache *folder) {
    void *cache = folder;
    unsetenv("CLGEMM_TUNING");
    return clg_test_cache_teardown(&cache);
}

void clg_test_places_put(struct clg_test_places *places, const char *folder, const char *name,
                         const struct clg_facts *device, int reg_n) {
    const struct clg_tuning_row row = clg_test_row(1000, reg_n, 1);
    if (access(folder, F_OK) != 0) { /* by a write, which creates all of its parts */
        char made[CLG_TEST_PATH];
        clg_test_assert_success(clg_tuning_write(folder, device, &row, 1, NULL, made, sizeof made));
        unlink(made);
    }
    clg_test_join(places->path, folder, name);
    clg_test_tuning_file(places->path, device, &row, 1);
}

int clg_test_found_in(const struct clg_test_places *places, struct clg_tuning *table,
                      int64_t size) {
    const struct clg_tuning_shape shape = {.m = size, .n = size, .k = size, .aligned = true};
    struct clg_problem problem;
    assert_non_null(table);
    clg_test_assert_success(clg_tuning_problem(&problem, &shape));
    const struct clg_tuning_row *row = clg_tuning_find(table, &problem, &places->facts);
    const int reg_n = row ? row->params.reg_n : 0;
    clg_tuning_release(table);
    return reg_n;
}

int clg_test_found(const struct clg_test_places *places, int64_t size) {
    return clg_test_found_in(places, clg_tuning_load(&places->facts), size);
}

struct clg_tuning_source clg_test_source(const struct clg_test_places *places,
                                         enum clg_tuning_origin origin) {
    struct clg_tuning *table = clg_tuning_load(&places->facts);
    assert_non_null(table);
    const struct clg_tuning_source source = *clg_tuning_source(table, origin);
    clg_tuning_release(table);
    return source;
}

clgemm_status clg_test_write_break_even(const char *path, const struct clg_facts *facts,
                                        const struct clg_break_even *break_even, char *written,
                                        size_t size) {
    struct clg_tuning_once once = {.speeds = {0}};
    once.break_evens[break_even->type] = *break_even;
    return clg_tuning_write(path, facts, NULL, 0, &once, written, size);
}
