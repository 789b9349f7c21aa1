/* SPDX-License-Identifier: Apache-2.0
 * --growth: its reports, and the gate that compares one with an earlier one's JSON. No device is
 * needed. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/growth.h"
#include "bench/report/baseline.h"
#include "support/check.h"

enum { MIB = 1 << 20, COLD_US = 20, WARM_US = 3 };

/* A report of two problems, and what it points to. */
struct run {
    struct options options;
    struct growth_result results[2];
    struct mode_report report;
};

static struct growth_row some_row(const char *family, int shapes, double slower) {
    struct growth_row row = {.family = family, .shapes = shapes};
    static const double us[GROWTH_FIGURES] = {COLD_US, WARM_US};
    for (int f = 0; f < GROWTH_FIGURES; f++) {
        struct timing *t = &row.figures[f];
        t->calls = shapes;
        while (t->samples < GROWTH_ROUNDS) { /* the second is the fastest */
            t->seconds[t->samples] = slower * (us[f] + abs(t->samples - 1)) / 1e6;
            t->samples++;
        }
        timing_summarize(t);
    }
    return row;
}

static void start(struct run *run, double slower, double growth) {
    *run = (struct run){
        .options = {.batch = 1, .layout = CLGEMM_ROW_MAJOR, .alpha = {1, 0}, .growth = true},
        .results = {{.head = {.shape = {25, 20, 20}, .trans = {CLGEMM_NO_TRANS, CLGEMM_TRANS}},
                     .rows = {some_row("all", 1000, slower), some_row("direct", 400, slower),
                              some_row("panel", 600, slower)},
                     .num_rows = 3,
                     .resident = 90.0 * MIB,
                     .growth = growth}}};
    run->results[1] = run->results[0];
    run->results[1].head.shape.m = 30;
    run->report =
        (struct mode_report){.options = &run->options, .results = run->results, .count = 2};
}

/* The report in that format; free it. */
static char *written(const struct run *run, enum format format) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    growth_report_write(out, format, &run->report);
    fclose(out);
    return text;
}

/* The earlier run's JSON as a baseline. */
static void read_back(struct baseline *b, const struct run *earlier) {
    char path[] = "/tmp/clgemm-test-growth-XXXXXX", why[512] = "";
    char *text = written(earlier, FORMAT_JSON);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    if (!baseline_read(b, path, why, sizeof why))
        fail_msg("%s", why);
    unlink(path);
    free(text);
}

/* ---- Reports ---- */

static void each_family_has_a_row(void **state) {
    struct run run;
    (void)state;
    start(&run, 1, 2 * MIB);
    char *text = written(&run, FORMAT_MD);
    assert_non_null(strstr(text, "| all    |   1000 |       20.00 |       21.00 |      28.00 |"));
    assert_non_null(strstr(text, "|   90.00 |   2048.00 | ok      |\n"));
    assert_non_null(strstr(text, "| panel  |    600 |"));
    assert_null(strstr(text, "baseline"));
    free(text);
    text = written(&run, FORMAT_CSV);
    assert_non_null(strstr(text, ",ok,all,1000,cold,21.0000,28.0000,23.5000,20.0000,28.0000,"
                                 "94371840,2097152,\"\"\n"));
    assert_non_null(
        strstr(text, ",ok,panel,600,warm,4.0000,11.0000,6.5000,3.0000,11.0000,,,\"\"\n"));
    free(text);
    run.results[0].num_rows = 0;
    mode_fail(&run.results[0].head, OUTCOME_SKIPPED, "too few");
    text = written(&run, FORMAT_MD);
    assert_non_null(strstr(text, "| skipped: too few |\n"));
    free(text);
}

/* ---- The gate ---- */

/* Whether a run that is so much slower, and grew by so much, passes beside one that grew by
 * `earlier_growth`. */
static bool passes(double slower, double growth, double earlier_growth, double fail_below) {
    struct run earlier, now;
    struct baseline baseline;
    start(&earlier, 1, earlier_growth);
    read_back(&baseline, &earlier);
    start(&now, slower, growth);
    now.options.fail_below = fail_below;
    now.report.baseline = &baseline;
    const bool passed = growth_passes(&now.report);
    baseline_release(&baseline);
    return passed;
}

static void slower_calls_fail(void **state) {
    (void)state;
    assert_true(passes(1, 0, 0, 0.95));
    assert_true(passes(1.9, 0, 0, 0.5));
    assert_false(passes(2.1, 0, 0, 0.5));
}

/* Up to 8 MiB may be chance; above, the limit is the baseline's growth. */
static void growth_fails(void **state) {
    (void)state;
    assert_true(passes(1, 8.0 * MIB, 0, 0.5));
    assert_false(passes(1, 8.1 * MIB, 0, 0.5));
    assert_true(passes(1, 19.0 * MIB, 10.0 * MIB, 0.5));
    assert_false(passes(1, 21.0 * MIB, 10.0 * MIB, 0.5));
    assert_true(passes(1, -1, 0, 0.5)); /* not known */
}

/* One family's plans may become slow while most do not. */
static void each_figure_is_compared(void **state) {
    (void)state;
    for (int row = 0; row < 3; row++)
        for (int f = 0; f < GROWTH_FIGURES; f++) {
            struct run earlier, now;
            struct baseline baseline;
            start(&earlier, 1, 0);
            read_back(&baseline, &earlier);
            start(&now, 1, 0);
            now.options.fail_below = 0.9;
            now.report.baseline = &baseline;
            assert_true(growth_passes(&now.report));
            now.results[0].rows[row].figures[f].min *= 1.5;
            assert_false(growth_passes(&now.report));
            assert_float_equal(growth_ratio(&now.report, &now.results[0], &now.results[0].rows[row],
                                            (enum growth_figure)f),
                               1 / 1.5, 1e-4);
            char *text = written(&now, FORMAT_MD);
            assert_non_null(strstr(text, "new/baseline"));
            assert_non_null(strstr(text, "0.67 |"));
            free(text);
            baseline_release(&baseline);
        }
}

static void what_is_missing_fails(void **state) {
    struct run earlier, now;
    struct baseline baseline;
    (void)state;
    start(&earlier, 1, 0);
    read_back(&baseline, &earlier);
    start(&now, 1, 0);
    now.options.fail_below = 0.5;
    now.report.baseline = &baseline;
    now.results[0].num_rows = 0;
    mode_fail(&now.results[0].head, OUTCOME_SKIPPED, "no memory");
    assert_false(growth_passes(&now.report)); /* no longer measured */
    now.results[0].head.shape.m = 24;         /* which was not measured earlier either */
    assert_true(growth_passes(&now.report));
    now.report.count = 1;
    assert_false(growth_passes(&now.report)); /* nothing to compare */
    baseline_release(&baseline);
}

static void rates_are_no_baseline(void **state) {
    struct run earlier;
    struct baseline baseline;
    char why[256];
    (void)state;
    start(&earlier, 1, 0);
    read_back(&baseline, &earlier);
    assert_true(baseline_is_alike(&baseline, &earlier.options, why, sizeof why));
    earlier.options.growth = false;
    assert_false(baseline_is_alike(&baseline, &earlier.options, why, sizeof why));
    assert_string_equal(why, "it measured --growth");
    baseline.growth = false;
    earlier.options.growth = true;
    assert_false(baseline_is_alike(&baseline, &earlier.options, why, sizeof why));
    assert_string_equal(why, "it measured rates, not --growth");
    baseline_release(&baseline);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_family_has_a_row), cmocka_unit_test(slower_calls_fail),
        cmocka_unit_test(growth_fails),          cmocka_unit_test(each_figure_is_compared),
        cmocka_unit_test(what_is_missing_fails), cmocka_unit_test(rates_are_no_baseline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
