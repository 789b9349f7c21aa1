/* SPDX-License-Identifier: Apache-2.0
 * clgemm-bench's JSON: UTF-8 whatever the device's name, and readable as a baseline, also if
 * another version wrote it. No device is needed. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "bench/first_call/first_call.h"
#include "bench/overhead.h"
#include "bench/report/baseline.h"
#include "bench/report/report.h"
#include "support/cache.h"
#include "support/check.h"

#define OLD_REPORT CLG_TEST_DATA "/report-0.1.0.json"
#define MARK "\xef\xbf\xbd" /* U+FFFD */

static char *text;
static size_t text_size;

/* Opens a file for writing. Once it is closed, `text` is what was written; free it. */
static FILE *open_text(void) {
    FILE *out = open_memstream(&text, &text_size);
    assert_non_null(out);
    return out;
}

static void assert_utf8(void) {
    for (const char *c = text; *c; c += clg_utf8_length(c))
        assert_int_not_equal(clg_utf8_length(c), 0);
}

static struct options some_options(void) {
    return (struct options){.batch = 1,
                            .layout = CLGEMM_ROW_MAJOR,
                            .alpha = {1.1f, 0},
                            .beta = {-0.3f, 0},
                            .output.format = FORMAT_JSON};
}

static void fill_contenders(struct contender contenders[CONTENDERS]) {
    for (int i = 0; i < CONTENDERS; i++)
        contenders[i] = (struct contender){.ops = i == OURS_HOST     ? &ours_host_ops
                                                  : i == OURS_DEVICE ? &ours_device_ops
                                                                     : &openblas_ops,
                                           .open = i <= OPENBLAS};
}

static struct result some_result(int64_t m, int64_t n, int64_t k, double gflops) {
    struct result row = {.shape = {m, n, k}, .trans = {CLGEMM_NO_TRANS, CLGEMM_NO_TRANS}};
    for (int i = 0; i <= OURS_DEVICE; i++)
        row.series[i] = (struct series){
            .gflops = gflops * (1 + i), .timing = {.samples = 2}, .memory = {.workspace = 64}};
    row.series[OPENBLAS].outcome = OUTCOME_SKIPPED;
    return row;
}

/* ---- Writing ---- */

static void reports_are_utf8(void **state) {
    const struct options o = some_options();
    struct contender contenders[CONTENDERS];
    struct result row = some_result(1, 2, 3, 4);
    struct report report = {.options = &o, .contenders = contenders, .results = &row, .count = 1};
    (void)state;
    fill_contenders(contenders);
    context_add(&report.context, "device", "card \xff \303\251 \"x\"");
    strcpy(row.series[OPENBLAS].why, "no \300\257");
    strcpy(row.coretype, "A\xfe");
    FILE *out = open_text();
    report_json(out, &report);
    fclose(out);
    assert_utf8();
    assert_non_null(strstr(text, "\n  \"device\": \"card " MARK " \303\251 \\\"x\\\"\"\n},\n"));
    assert_non_null(strstr(text, "\"why\": \"no " MARK MARK "\""));
    assert_non_null(strstr(text, "\"coretype\": \"A" MARK "\""));
    free(text);
}

static void reports_of_modes_are_utf8(void **state) {
    const struct options o = some_options();
    struct overhead_result overhead = {.head = {.outcome = OUTCOME_SKIPPED, .why = "no \xff"}};
    struct mode_report report = {.options = &o, .results = &overhead, .count = 1};
    struct first_result first = {.why = "no \xff", .peer_why = "\xfe"};
    struct first_report first_report = {.options = &o, .results = &first, .count = 1};
    (void)state;
    context_add(&report.context, "device", "\xff");
    first_report.context = report.context;
    FILE *out = open_text();
    overhead_report_write(out, FORMAT_JSON, &report);
    first_report_write(out, FORMAT_JSON, &first_report);
    fclose(out);
    assert_utf8();
    assert_non_null(strstr(text, "\"why\": \"no " MARK "\", \"clblast_why\": \"" MARK "\""));
    free(text);
}

/* Each result is one line, because other tools rely on that. Numbers that are not finite are
 * null. */
static void a_result_is_a_line(void **state) {
    const struct options o = some_options();
    struct contender contenders[CONTENDERS];
    struct result rows[2] = {some_result(40, 24, 16, 1.5), some_result(1, 1, 1, 0.0 / 0.0)};
    struct report report = {.options = &o, .contenders = contenders, .results = rows, .count = 2};
    (void)state;
    fill_contenders(contenders);
    context_add(&report.context, "driver", "1");
    FILE *out = open_text();
    report_json(out, &report);
    fclose(out);
    static const char *const lines[] = {
        "{\"schema\": \"clgemm-bench/1\",\n\"context\": {\n  \"driver\": \"1\"\n},\n"
        "\"means\": {},\n\"results\": [\n",
        "\n  {\"shape\": \"40x24x16\", \"trans\": \"NN\", \"layout\": \"row\", \"alpha\": "
        "1.10000002, \"beta\": -0.300000012, \"m\": 40, \"n\": 24, \"k\": 16, \"failed\": false, "
        "\"series\": {\"clgemm_host\": {\"outcome\": \"ok\", \"check\": \"none\", "
        "\"gflops\": 1.5, \"median_ms\": 0, \"min_ms\": 0, \"p95_ms\": 0, \"spread\": 0, "
        "\"calls_per_sample\": 0, \"samples_ms\": [0, 0], \"workspace_bytes\": 64, "
        "\"resident_bytes\": 0}, \"clgemm_device\": ",
        "\"openblas\": {\"outcome\": \"skipped\", \"check\": \"none\"}}, \"ratios\": {}},\n",
        "\n  {\"shape\": \"1x1x1\"",
        "\"gflops\": null",
        "\n]}\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_non_null(strstr(text, lines[i]));
    free(text);
}

/* Wherever the mean is given, so is the number of ratios below the thresholds. */
static void means_count_what_is_behind(void **state) {
    struct options o = some_options();
    struct contender contenders[CONTENDERS];
    struct result rows[4];
    struct report report = {.options = &o, .contenders = contenders, .results = rows, .count = 4};
    static const double peers[] = {2, 2.1, 2.3, 0.5}; /* ratios 1, 0.952, 0.870 and 4 */
    (void)state;
    fill_contenders(contenders);
    for (int i = 0; i < 4; i++) {
        rows[i] = some_result(8, 8, 8 + i, 2);
        rows[i].series[OPENBLAS] = (struct series){.gflops = peers[i], .timing = {.median = 1}};
        for (int ours = OURS_HOST; ours <= OURS_DEVICE; ours++)
            rows[i].series[ours].timing.median = 1;
    }
    o.shapes.count = 4;
    o.trans.count = 1;
    FILE *out = open_text();
    report_md(out, &report);
    report_json(out, &report);
    fclose(out);
    assert_non_null(strstr(text, "over 4 problems, least 0.870 (8x8x10 NN), 2 below 0.97, "
                                 "1 below 0.92.\n"));
    assert_non_null(strstr(text, "\"means\": {\"clgemm_host/openblas\": {\"problems\": 4, "
                                 "\"geometric_mean\": 1.349, \"least\": 0.8696, "
                                 "\"below\": {\"0.97\": 2, \"0.92\": 1}}},\n"));
    free(text);
}

/* ---- Reading back ---- */

/* Reads `content` as a baseline. */
static bool read_text(struct baseline *b, const char *content, size_t size, char *why,
                      size_t room) {
    char path[] = "/tmp/clgemm-test-report-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, content, size), size);
    close(file);
    const bool good = baseline_read(b, path, why, room);
    unlink(path);
    return good;
}

static void what_is_written_is_read(void **state) {
    const struct options o = some_options();
    struct contender contenders[CONTENDERS];
    struct result rows[3] = {some_result(40, 24, 16, 2), some_result(40, 24, 16, 4),
                             some_result(7, 0, 5, 0)};
    struct report report = {.options = &o, .contenders = contenders, .results = rows, .count = 3};
    struct baseline baseline;
    char why[512];
    (void)state;
    fill_contenders(contenders);
    strcpy(rows[1].coretype, "HASWELL");
    context_add(&report.context, "device", "card \xff (4 compute units)");
    FILE *out = open_text();
    report_json(out, &report);
    fclose(out);
    assert_true(read_text(&baseline, text, text_size, why, sizeof why));
    free(text);
    assert_int_equal(baseline.count, 3);
    assert_true(baseline_is_of(&baseline, "card \xff"));
    assert_false(baseline_is_of(&baseline, "card x"));
    for (int i = 0; i < 2; i++)
        for (int ours = OURS_HOST; ours <= OURS_DEVICE; ours++) {
            rows[i].series[ours].gflops *= 0.5;
            assert_true(baseline_ratio(&baseline, &o, &rows[i], ours) == 0.5);
        }
    assert_true(baseline_ratio(&baseline, &o, &rows[2], OURS_HOST) == 0);
    baseline_release(&baseline);
}

static void a_report_of_0_1_0_is_read(void **state) {
    static const struct {
        const char *coretype;
        double host, device;
    } expected[] = {
        {"", 0.223467, 5.06011}, {"HASWELL", 0.340397, 5.45619}, {"NONSENSE", 1.02281, 4.00497}};
    struct options o = some_options();
    struct result row = some_result(40, 24, 16, 1);
    struct baseline b;
    char why[512] = "";
    (void)state;
    if (!baseline_read(&b, OLD_REPORT, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(b.count, 5);
    assert_true(baseline_is_of(&b, "test \"CPU\""));
    assert_true(baseline_is_alike(&b, &o, why, sizeof why)); /* it names no type or batch */
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        snprintf(row.coretype, sizeof row.coretype, "%s", expected[i].coretype);
        row.series[OURS_HOST].gflops = 3 * expected[i].host;
        row.series[OURS_DEVICE].gflops = 3 * expected[i].device;
        assert_float_equal(baseline_ratio(&b, &o, &row, OURS_HOST), 3, 1e-9);
        assert_float_equal(baseline_ratio(&b, &o, &row, OURS_DEVICE), 3, 1e-9);
    }
    row.series[OURS_HOST].outcome = OUTCOME_FAILED;
    assert_true(baseline_ratio(&b, &o, &row, OURS_HOST) == -1);
    o.alpha.re = 1; /* another problem */
    assert_true(baseline_ratio(&b, &o, &row, OURS_DEVICE) == 0);
    baseline_release(&b);
}

/* Unknown members, other line breaks, another order. */
static void a_report_of_tomorrow_is_read(void **state) {
    static const char tomorrow[] =
        "{\"results\":[{\"series\":{\"clgemm_usm\":{\"gflops\":7},\"clgemm_device\":"
        "{\"samples\":[{\"ms\":1e-3}],\"gflops\":2.5e+1,\"why\":null},\"clgemm_host\":{\"gflops\":"
        "null}},\n\"tags\":[[],{},\"\\ud83d\\u0000\",-1.5E-7,true],\"trans\":\"N\\u004e\",\"beta\":"
        "-3e-1,\"a name that is longer than any of ours may be\":{\"b\":[1,2]},\"alpha\":1.1,"
        "\"shape\":\"40x24x16\",\"layout\":\"row\"}],\n\t\"host\":false,\"schema\":"
        "\"clgemm-bench/1\"}\n";
    const struct options o = some_options();
    const struct result row = some_result(40, 24, 16, 50);
    struct baseline b;
    char why[512] = "";
    (void)state;
    if (!read_text(&b, tomorrow, sizeof tomorrow - 1, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(b.count, 1);
    assert_true(baseline_ratio(&b, &o, &row, OURS_DEVICE) == 4);
    assert_true(baseline_ratio(&b, &o, &row, OURS_HOST) == 0);
    baseline_release(&b);
}

static void other_files_are_refused(void **state) {
    static const struct {
        const char *content, *says;
    } cases[] = {
        {"", "expected { but found the end"},
        {"m,n,k\n", "expected { but found m"},
        {"[]", "expected { but found ["},
        {"{}", "\"schema\" is missing"},
        {"{\"schema\": \"clgemm-bench-ladder/1\", \"results\": []}", "it is clgemm-bench-ladder/1"},
        {"{\"schema\": \"clgemm-bench/1\"}", "\"results\" is missing"},
        {"{\"schema\": \"clgemm-bench/1\", \"results\": []}", "it has no results"},
        {"{\"schema\": \"clgemm-bench/1\", \"results\": [{}]}", "\"shape\" is missing"},
        {"{\"schema\": \"clgemm-bench/1\", \"results\": []} x", "there is text after it"},
    };
    struct baseline b;
    char why[512];
    size_t size;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(read_text(&b, cases[i].content, strlen(cases[i].content), why, sizeof why));
        if (!strstr(why, cases[i].says))
            fail_msg("%s: %s", cases[i].content, why);
        baseline_release(&b);
    }
    assert_false(baseline_read(&b, "/no/such/file", why, sizeof why));
    assert_string_equal(why, "/no/such/file: No such file or directory");
    assert_false(baseline_read(&b, "/", why, sizeof why));
    assert_string_equal(why, "/: Is a directory");
    /* Wherever the file is cut, no result is invented; only the last newline may be missing. */
    unsigned char *old = clg_test_file_read(OLD_REPORT, &size);
    for (size_t cut = 0; cut < size - 2; cut += 97) {
        assert_false(read_text(&b, (const char *)old, cut, why, sizeof why));
        baseline_release(&b);
    }
    free(old);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_are_utf8),
        cmocka_unit_test(reports_of_modes_are_utf8),
        cmocka_unit_test(a_result_is_a_line),
        cmocka_unit_test(means_count_what_is_behind),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_report_of_0_1_0_is_read),
        cmocka_unit_test(a_report_of_tomorrow_is_read),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
