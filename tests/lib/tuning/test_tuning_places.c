/* SPDX-License-Identifier: Apache-2.0
 * The places of tuning files: their precedence, files of other devices and drivers, damaged files,
 * and imports. Without a device. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"
#include "support/rows.h"
#include "support/tuning_places.h"
#include "tuning/costs.h"

static void places_in_order(void **state) {
    struct clg_test_places *p = *state;
    assert_int_equal(clg_test_found(p, 1000), 0);
    assert_string_equal(clg_test_source(p, CLG_TUNING_GIVEN).why + strlen(p->given),
                        " does not exist");
    assert_int_equal(clg_test_source(p, CLG_TUNING_USER).faults, 0);
    clg_test_places_put(p, p->user, "a.json", &p->facts, 5);
    assert_int_equal(clg_test_found(p, 1000), 5);
    clg_test_places_put(p, p->given, "a.json", &p->facts, 6);
    assert_int_equal(clg_test_found(p, 1000), 6);
    setenv("CLGEMM_TUNING", p->path, 1); /* the file itself */
    assert_int_equal(clg_test_found(p, 1000), 6);
    unsetenv("CLGEMM_TUNING");
    assert_int_equal(clg_test_found(p, 1000), 5);
    setenv("CLGEMM_TUNING", "0", 1);
    assert_int_equal(clg_test_found(p, 1000), 0);
}

static void other_drivers_only_where_there_is_no_row(void **state) {
    struct clg_test_places *p = *state;
    struct clg_facts old = p->facts;
    strcpy(old.driver, "0.9");
    clg_test_places_put(p, p->given, "old.json", &old, 5);
    assert_int_equal(clg_test_found(p, 1000), 5);
    assert_int_equal(clg_test_source(p, CLG_TUNING_GIVEN).other_rows, 1);
    clg_test_places_put(p, p->user, "new.json", &p->facts, 6);
    assert_int_equal(clg_test_found(p, 1000), 6);
    assert_int_equal(clg_test_found(p, 1499), 6);
}

/* Those of a folder are skipped; a file that is named and is not for this device is an error. */
static void files_of_other_devices(void **state) {
    struct clg_test_places *p = *state;
    struct clg_facts others[3] = {p->facts, p->facts, p->facts};
    strcpy(others[0].name, "another");
    strcpy(others[1].platform, "another");
    others[2].compute_units++;
    for (int i = 0; i < 3; i++) {
        clg_test_places_put(p, p->given, "a.json", &others[i], 5);
        assert_int_equal(clg_test_found(p, 1000), 0);
        assert_int_equal(clg_test_source(p, CLG_TUNING_GIVEN).faults, 0);
        setenv("CLGEMM_TUNING", p->path, 1);
        assert_int_equal(clg_test_found(p, 1000), 0);
        assert_non_null(strstr(clg_test_source(p, CLG_TUNING_GIVEN).why, "is for another device"));
        setenv("CLGEMM_TUNING", p->given, 1);
    }
}

/* Every file that is invalid is reported, and the rest is used. */
static void damaged_files_cost_only_themselves(void **state) {
    struct clg_test_places *p = *state;
    static const char text[] = "{\"schema\": \"clgemm-tuning/9\"}\n";
    char other[CLG_TEST_PATH];
    clg_test_places_put(p, p->given, "b.json", &p->facts, 5);
    clg_test_join(other, p->given, "a.json");
    clg_test_file_write(other, text, sizeof text - 1);
    assert_int_equal(clg_test_found(p, 1000), 5);
    struct clg_tuning_source source = clg_test_source(p, CLG_TUNING_GIVEN);
    assert_int_equal(source.faults, 1);
    assert_int_equal(source.rows, 1);
    assert_non_null(strstr(source.why, "/given/a.json:1: its schema is \"clgemm-tuning/9\""));
    unlink(other);
    assert_int_equal(mkfifo(other, 0600), 0);
    assert_non_null(
        strstr(clg_test_source(p, CLG_TUNING_GIVEN).why, "a.json is empty, too large, or"));
    unlink(other);
    assert_int_equal(symlink("nowhere", other), 0);
    assert_non_null(strstr(clg_test_source(p, CLG_TUNING_GIVEN).why, "a.json does not exist"));
    unlink(other);
    clg_test_file_write(other, text, 0);
    assert_int_equal(clg_test_source(p, CLG_TUNING_GIVEN).faults, 1);
    assert_int_equal(truncate(other, CLG_TUNING_FILE_MOST + 1), 0);
    assert_int_equal(clg_test_source(p, CLG_TUNING_GIVEN).faults, 1);
    assert_int_equal(clg_test_found(p, 1000), 5);
}

static void rows_that_the_device_cannot_run(void **state) {
    struct clg_test_places *p = *state;
    struct clg_tuning_row rows[3] = {clg_test_row(1000, 5, 1), clg_test_row(3000, 6, 1),
                                     clg_test_row(9000, 7, 1)};
    struct clg_tuning *table;
    rows[1].params.tile_n++; /* no whole panels */
    clg_test_places_put(p, p->given, "a.json", &p->facts, 5);
    clg_test_tuning_file(p->path, &p->facts, rows, 3);
    assert_int_equal(clg_tuning_import(&table, NULL, &p->facts, p->path),
                     CLGEMM_STATUS_INVALID_TUNING);
    clg_test_assert_error_says("a.json:3: the device cannot run this row: a tile is not made of");
    assert_int_equal(clg_tuning_count(table), 2);
    assert_int_equal(clg_test_found_in(p, table, 9000), 7);
    assert_int_equal(clg_test_found(p, 3000), 0);
}

/* ---- Import ---- */

static void import_goes_first_and_says_what_is_amiss(void **state) {
    struct clg_test_places *p = *state;
    struct clg_facts other = p->facts;
    struct clg_tuning *base, *table;
    strcpy(other.name, "another");
    clg_test_places_put(p, p->user, "a.json", &p->facts, 5);
    base = clg_tuning_load(&p->facts);
    clg_test_places_put(p, p->given, "b.json", &p->facts, 6);
    clg_test_assert_success(clg_tuning_import(&table, base, &p->facts, p->given));
    assert_int_equal(clg_test_found_in(p, table, 1000), 6);
    clg_test_assert_success(clg_tuning_import(&table, base, &p->facts, p->path));
    assert_int_equal(clg_test_found_in(p, table, 1000), 6);
    clg_test_places_put(p, p->given, "b.json", &other, 6);
    clg_test_assert_status(clg_tuning_import(&table, base, &p->facts, p->path),
                           CLGEMM_STATUS_INVALID_TUNING);
    clg_test_assert_error_says("is for another device: \"another\" of 4 compute units");
    assert_int_equal(clg_test_found_in(p, table, 1000), 5); /* the base remains in use */
    clg_test_assert_status(clg_tuning_import(&table, base, &p->facts, p->given),
                           CLGEMM_STATUS_INVALID_TUNING);
    clg_test_assert_error_says("given has nothing for device \"test CPU\"");
    clg_tuning_release(table);
    clg_test_assert_status(clg_tuning_import(&table, base, &p->facts, "/no/such/file"),
                           CLGEMM_STATUS_INVALID_TUNING);
    clg_test_assert_error_says("/no/such/file does not exist");
    clg_tuning_release(table);
    clg_test_file_write(p->path, "x\ny\n", 4);
    clg_test_assert_status(clg_tuning_import(&table, NULL, &p->facts, p->path),
                           CLGEMM_STATUS_INVALID_TUNING);
    clg_test_assert_error_says("given/b.json:1: expected { but found x");
    assert_int_equal(clg_tuning_count(table), 0);
    clg_tuning_release(table);
    clg_tuning_release(base);
}

#define TEST(name) \
    cmocka_unit_test_setup_teardown(name, clg_test_places_setup, clg_test_places_teardown)

/* The costs that are in force have these many rows; 0: they are not from a file. */
static size_t cost_rows(const struct clg_test_places *p) {
    struct clg_tuning *table = clg_tuning_load(&p->facts);
    assert_non_null(table);
    const struct clg_costs *costs = clg_tuning_costs(table);
    const size_t rows = costs ? costs->count : 0;
    clg_tuning_release(table);
    return rows;
}

static void put_costs(struct clg_test_places *p, const char *folder, const struct clg_facts *device,
                      size_t rows) {
    static struct clg_costs costs;
    costs = *clg_test_costs(&p->facts);
    assert_true(costs.count >= rows);
    costs.count = rows;
    clg_test_assert_success(
        clg_tuning_write_costs(folder, device, &costs, p->path, sizeof p->path));
}

/* Measured costs of the device are used, from the first place, its own driver before others. */
static void costs_of_the_device(void **state) {
    struct clg_test_places *p = *state;
    struct clg_facts other = p->facts;
    strcpy(other.driver, "0.9");
    assert_int_equal(cost_rows(p), 0);
    put_costs(p, p->given, &other, 1);
    assert_int_equal(cost_rows(p), 1);
    put_costs(p, p->user, &p->facts, 2);
    assert_int_equal(cost_rows(p), 2);
    put_costs(p, p->given, &p->facts, 3);
    assert_int_equal(cost_rows(p), 3);
    struct clg_tuning *imported = NULL;
    clg_test_assert_success(clg_tuning_import(&imported, NULL, &p->facts, p->path));
    assert_int_equal(clg_tuning_costs(imported)->count, 3);
    struct clg_tuning *copy = clg_test_tuning_with(imported, NULL, 0);
    clg_tuning_release(imported);
    assert_int_equal(clg_tuning_costs(copy)->count, 3);
    clg_tuning_release(copy);
    setenv("CLGEMM_TUNING", "0", 1);
    assert_int_equal(cost_rows(p), 0);
}

/* Damaged ones, and those of another device, are not, and a file of rows is not replaced. */
static void other_costs_are_not_used(void **state) {
    struct clg_test_places *p = *state;
    static const char damaged[] = "{\"schema\": \"clgemm-costs/1\", \"figures\": {\n";
    struct clg_facts other = p->facts;
    other.compute_units++;
    put_costs(p, p->given, &other, 1);
    assert_int_equal(cost_rows(p), 0);
    assert_int_equal(clg_test_source(p, CLG_TUNING_GIVEN).faults, 0);
    setenv("CLGEMM_TUNING", p->path, 1);
    assert_non_null(strstr(clg_test_source(p, CLG_TUNING_GIVEN).why, "is for another device"));
    clg_test_file_write(p->path, damaged, sizeof damaged - 1);
    assert_int_equal(cost_rows(p), 0);
    assert_int_equal(clg_test_source(p, CLG_TUNING_GIVEN).faults, 1);
    setenv("CLGEMM_TUNING", p->given, 1);
    clg_test_places_put(p, p->given, "a.json", &p->facts, 5);
    assert_int_equal(clg_tuning_write_costs(p->path, &p->facts, clg_test_costs(&p->facts), NULL, 0),
                     CLGEMM_STATUS_INVALID_TUNING);
    assert_int_equal(clg_test_found(p, 1000), 5);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(places_in_order),
        TEST(other_drivers_only_where_there_is_no_row),
        TEST(files_of_other_devices),
        TEST(damaged_files_cost_only_themselves),
        TEST(costs_of_the_device),
        TEST(other_costs_are_not_used),
        TEST(rows_that_the_device_cannot_run),
        TEST(import_goes_first_and_says_what_is_amiss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
