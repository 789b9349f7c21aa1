/* SPDX-License-Identifier: Apache-2.0
 * The break-even of calls on host matrices: the search on made-up measurements, the estimate from
 * facts, and how tuning files keep a measurement. Without a device. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/tune/break_even.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/tuning_places.h"
#include "tuning/break_even.h"

/* ---- The search ---- */

/* The device wins if a shape has at least this many operations and is not the one that it loses. */
struct rule {
    double from;
    struct shape lost;
    int contests;
};

static enum break_even_winner judge(struct shape s, void *user) {
    struct rule *rule = user;
    rule->contests++;
    if (rule->from < 0)
        return WINS_NOBODY;
    if (s.m == rule->lost.m && s.n == rule->lost.n && s.k == rule->lost.k)
        return WINS_CPU;
    return 2.0 * (double)s.m * (double)s.n * (double)s.k >= rule->from ? WINS_DEVICE : WINS_CPU;
}

static int64_t find(struct rule rule, int64_t largest, int contests) {
    int64_t flops = -1;
    assert_true(break_even_find(largest, judge, &rule, &flops));
    assert_int_equal(rule.contests, contests);
    return flops;
}

static int64_t cube(int64_t n) {
    return 2 * n * n * n;
}

static void shapes_of_a_size_are_as_much_work(void **state) {
    (void)state;
    for (int i = 0; i < BREAK_EVEN_SIZES; i++) {
        assert_true(i == 0 || break_even_sizes[i] < break_even_sizes[i - 1]);
        for (int number = 0; number < BREAK_EVEN_SHAPES; number++) {
            const struct shape s = break_even_shape(break_even_sizes[i], number);
            assert_int_equal(2 * s.m * s.n * s.k, cube(break_even_sizes[i]));
        }
    }
}

static void the_least_size_from_which_all_is_won(void **state) {
    const int all = (BREAK_EVEN_SIZES + 1) / 2 * BREAK_EVEN_SHAPES;
    const struct shape thin = break_even_shape(1024, 2);
    (void)state;
    assert_int_equal(find((struct rule){.from = 0}, 4096, all), cube(64));
    assert_int_equal(find((struct rule){.from = (double)cube(512)}, 4096, 4 * 4 + 1 + 1),
                     cube(512));
    assert_int_equal(find((struct rule){.from = (double)cube(512) + 1}, 4096, 3 * 4 + 1 + 4),
                     cube(768));
    assert_true(find((struct rule){.from = 1e30}, 4096, 1) == INT64_MAX);
    assert_true(find((struct rule){.from = 0}, 100, 2 * 4) == cube(64));
    /* One lost shape counts, whatever is won below it. */
    assert_int_equal(find((struct rule){.lost = thin}, 4096, 2 * 4 + 3 + 4), cube(1536));
}

static void a_contest_that_ends_gives_no_value(void **state) {
    struct rule rule = {.from = -1};
    int64_t flops = 7;
    (void)state;
    assert_false(break_even_find(4096, judge, &rule, &flops));
    assert_int_equal(rule.contests, 1);
    assert_int_equal(flops, 7);
}

static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_F64};
enum { TYPES = sizeof types / sizeof *types };

/* ---- The estimate ---- */

/* A GPU that computes doubles at half the rate of floats, as CPUs do: the estimate is the same for
 * both types. */
static void guesses_are_safe(void **state) {
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        const clgemm_type type = types[t];
        struct clg_facts gpu = clg_test_gpu;
        assert_true(clg_break_even_guess(&clg_test_cpu, type, 1) == INT64_MAX);
        const int64_t behind_bus = clg_break_even_guess(&gpu, type, 8);
        const int64_t behind_bus_with_more_host = clg_break_even_guess(&gpu, type, 16);
        gpu.capability = CLG_HOPPER;
        assert_true(clg_break_even_guess(&gpu, type, 8) < behind_bus);
        gpu.capability = 0;
        gpu.shares_host_memory = true;
        const int64_t beside = clg_break_even_guess(&gpu, type, 8);
        assert_true(beside > cube(64) && beside < behind_bus);
        assert_true(behind_bus < behind_bus_with_more_host);
        assert_true(clg_break_even_guess(&gpu, type, 1000) == INT64_MAX);
        gpu.arch.lanes = 8; /* as Intel's units have */
        assert_true(clg_break_even_guess(&gpu, type, 8) == INT64_MAX);
        assert_true(clg_break_even_guess(&gpu, type, 7) > beside);
        gpu.kind = CLG_DEVICE_ACCELERATOR;
        assert_true(clg_break_even_guess(&gpu, type, 1) == INT64_MAX);
        gpu.kind = CLG_DEVICE_GPU;
        gpu.clock_mhz = 0;
        assert_true(clg_break_even_guess(&gpu, type, 1) == INT64_MAX);
    }
}

/* At a 64th of the rate of floats nothing beats eight processors. */
static void few_devices_are_made_for_doubles(void **state) {
    struct clg_facts gpu = clg_test_gpu;
    (void)state;
    const int64_t single = clg_break_even_guess(&gpu, CLGEMM_F32, 8);
    gpu.arch.doubles = 1. / 64;
    assert_true(clg_break_even_guess(&gpu, CLGEMM_F32, 8) == single);
    assert_true(clg_break_even_guess(&gpu, CLGEMM_F64, 8) == INT64_MAX);
    gpu.arch.doubles = 1. / 2;
    assert_true(clg_break_even_guess(&gpu, CLGEMM_F64, 8) < INT64_MAX);
    /* If the device or this version cannot compute a type, no call pays, whatever was estimated. */
    gpu.compute_units = 100000;
    assert_true(clg_break_even_flops(NULL, CLGEMM_CF64, &gpu) < INT64_MAX);
    assert_true(clg_break_even_flops(NULL, CLGEMM_F64, &gpu) < INT64_MAX);
    assert_true(clg_break_even_flops(NULL, CLGEMM_F16, &gpu) < INT64_MAX);
    gpu.has_fp64 = false;
    assert_true(clg_break_even_flops(NULL, CLGEMM_CF64, &gpu) == INT64_MAX);
}

/* ---- Files ---- */

static struct clg_break_even measured(clgemm_type type, int64_t flops, const char *date) {
    struct clg_break_even break_even = {
        .type = type, .flops = flops, .against = "a \"BLAS\"", .version = "0.1.0"};
    snprintf(break_even.date, sizeof break_even.date, "%s", date);
    return break_even;
}

static int64_t loaded(const struct clg_test_places *p, clgemm_type type) {
    struct clg_tuning *table = clg_tuning_load(&p->facts);
    const int64_t flops = clg_break_even_flops(table, type, &p->facts);
    clg_tuning_release(table);
    return flops;
}

static void put(struct clg_test_places *p, const char *to, clgemm_type type, int64_t flops,
                const char *date) {
    const struct clg_break_even break_even = measured(type, flops, date);
    clg_test_assert_success(
        clg_test_write_break_even(to, &p->facts, &break_even, p->path, sizeof p->path));
}

static void written_beside_rows_and_read(void **state) {
    struct clg_test_places *p = *state;
    const struct clg_tuning_row row = clg_test_row(1000, 5, 1);
    for (int t = 0; t < TYPES; t++) {
        const clgemm_type type = types[t];
        assert_true(loaded(p, type) == INT64_MAX); /* the estimate for a CPU */
        put(p, NULL, type, 1000, "2026-01-01");
        assert_memory_equal(p->path, p->given, strlen(p->given));
        assert_int_equal(loaded(p, type), 1000);
        assert_int_equal(clg_test_source(p, CLG_TUNING_GIVEN).faults, 0);
        clg_test_assert_success(clg_tuning_write(NULL, &p->facts, &row, 1, NULL, NULL, 0));
        assert_int_equal(loaded(p, type), 1000);
        put(p, NULL, type, 3000 + t, "2026-01-01"); /* on the same day: the new one */
        assert_int_equal(loaded(p, type), 3000 + t);
        put(p, NULL, type, 2000, "2025-12-31");
        assert_int_equal(loaded(p, type), 3000 + t);
    }
    for (int t = 0; t < TYPES; t++) /* each type separately */
        assert_int_equal(loaded(p, types[t]), 3000 + t);
    for (int t = 0; t < TYPES; t++) {
        put(p, NULL, types[t], INT64_MAX, "2026-01-02");
        assert_true(loaded(p, types[t]) == INT64_MAX);
    }
    assert_int_equal(clg_test_found(p, 1000), 5);
}

static void places_and_drivers_in_order(void **state) {
    struct clg_test_places *p = *state;
    const struct clg_facts here = p->facts;
    for (int t = 0; t < TYPES; t++) {
        const clgemm_type type = types[t];
        strcpy(p->facts.driver, "0.9");
        put(p, NULL, type, 1000, "2026-01-01");
        assert_int_equal(loaded(p, type), 1000);
        p->facts = here;
        assert_int_equal(loaded(p, type), 1000); /* better than none */
        put(p, p->user, type, 2000, "2025-01-01");
        assert_int_equal(loaded(p, type), 2000); /* this driver's comes first */
        put(p, NULL, type, 3000, "2024-01-01");
        assert_int_equal(loaded(p, type), 3000); /* then the place */
        p->facts.compute_units++;
        assert_true(loaded(p, type) == INT64_MAX);
        p->facts = here;
    }
}

static void imported_first_and_kept_by_what_is_added(void **state) {
    struct clg_test_places *p = *state;
    const struct clg_tuning_row row = clg_test_row(1000, 5, 1);
    for (int t = 0; t < TYPES; t++) {
        struct clg_tuning *base, *table, *more;
        bool own_driver = false;
        put(p, NULL, types[t], 1000, "2026-01-01");
        base = clg_tuning_load(&p->facts);
        put(p, "other.json", types[t], 2000, "2025-01-01");
        clg_test_assert_success(clg_tuning_import(&table, base, &p->facts, "other.json"));
        more = clg_test_tuning_with(table, &row, 1);
        assert_int_equal(clg_tuning_break_even(more, types[t], &own_driver)->flops, 2000);
        assert_true(own_driver);
        assert_string_equal(clg_tuning_break_even(more, types[t], NULL)->against, "a \"BLAS\"");
        clg_tuning_release(more);
        clg_tuning_release(table);
        clg_tuning_release(base);
        remove("other.json"); /* the next has only the other type's, which is enough */
    }
}

#define HEAD(device_end)                                                                  \
    "{\"schema\": \"clgemm-tuning/1\", \"device\": {\"name\": \"d\", \"vendor\": \"v\", " \
    "\"platform\": \"p\", \"driver\": \"1\", \"compute_units\": 4}, " device_end "\n]}\n"
#define STAMP "\"against\": \"b\", \"date\": \"2026-11-21\", \"version\": \"0.1.0\"}"

static void damaged_heads_are_refused(void **state) {
    static const struct {
        const char *text, *says; /* NULL: it is valid */
    } cases[] = {
        {HEAD("\"rows\": ["), NULL},
        {HEAD("\"break_even\": {\"flops\": 8, " STAMP ", \"rows\": ["), NULL},
        {HEAD("\"break_even_f4\": 1, \"break_even_f8\": {}, \"break_even_F64\": 0, "
              "\"break_even\": {\"flops\": 8, " STAMP ", \"rows\": ["),
         NULL},
        {HEAD("\"break_even_f64\": {\"flops\": 64, " STAMP ", \"break_even\": {\"flops\": 8, " STAMP
              ", \"rows\": ["),
         NULL},
        {HEAD("\"break_even\": {\"flops\": 0, " STAMP ", \"rows\": ["),
         "\"break_even\": \"flops\": a number is smaller than 1"},
        {HEAD("\"break_even\": {\"flops\": 9223372036854775808, " STAMP ", \"rows\": ["),
         "\"flops\": a number is larger"},
        {HEAD("\"break_even\": {" STAMP ", \"rows\": ["), "\"break_even\": \"flops\" is missing"},
        {HEAD("\"break_even\": {\"flops\": 8, " STAMP "\"rows\": ["), "expected , but found \""},
        {HEAD("\"break_even\": {\"flops\": 8, " STAMP ", \"break_even\": ["),
         "\"break_even\" appears twice"},
        {HEAD("\"break_even_f64\": {\"flops\": 0, " STAMP ", \"rows\": ["),
         "\"break_even_f64\": \"flops\": a number is smaller than 1"},
        {HEAD("\"break_even_f64\": {\"flops\": 8, " STAMP ", \"break_even_f64\": ["),
         "\"break_even_f64\" appears twice"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_tuning_file file;
        const bool good =
            clg_tuning_file_parse(&file, "f", cases[i].text, strlen(cases[i].text), NULL);
        assert_int_equal(good, !cases[i].says);
        if (cases[i].says && !strstr(file.why, cases[i].says))
            print_error("\"%s\", not \"%s\"\n", file.why, cases[i].says);
        assert_true(!cases[i].says || strstr(file.why, cases[i].says));
        if (good) {
            assert_int_equal(file.once.break_evens[CLGEMM_F32].flops, i > 0 ? 8 : 0);
            assert_int_equal(file.once.break_evens[CLGEMM_F64].flops,
                             strstr(cases[i].text, "f64") ? 64 : 0);
        }
        clg_tuning_file_release(&file);
    }
}

#define IN_PLACES(name) \
    cmocka_unit_test_setup_teardown(name, clg_test_places_setup, clg_test_places_teardown)

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_of_a_size_are_as_much_work),
        cmocka_unit_test(the_least_size_from_which_all_is_won),
        cmocka_unit_test(a_contest_that_ends_gives_no_value),
        cmocka_unit_test(guesses_are_safe),
        cmocka_unit_test(few_devices_are_made_for_doubles),
        IN_PLACES(written_beside_rows_and_read),
        IN_PLACES(places_and_drivers_in_order),
        IN_PLACES(imported_first_and_kept_by_what_is_added),
        cmocka_unit_test(damaged_heads_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
