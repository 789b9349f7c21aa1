/* SPDX-License-Identifier: Apache-2.0
 * CLGEMM_VERBOSE: no output without it, one line per call with it, in the file of CLGEMM_LOGFILE,
 * and a line for a variable that is gone. Child processes are observed, because the environment is
 * read once. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/child.h"
#include "support/device.h"
#include "support/gemm.h"

static char output[65536];

/* The child: two calls that work, one of them a batch, and one that is refused. */
static int make_calls(void) {
    static float x[2 * 33 * 33];
    static const float alpha = 0.5f, beta = 2;
    const clgemm_desc desc = {.size = sizeof desc,
                              .layout = CLGEMM_ROW_MAJOR,
                              .ta = CLGEMM_TRANS,
                              .tb = CLGEMM_NO_TRANS,
                              .m = 20,
                              .n = 30,
                              .k = 11,
                              .lda = 20,
                              .ldb = 30,
                              .ldc = 30,
                              .batch = 2,
                              .stride_c = 20 * 30};
    clgemm_status first = clgemm_sgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 33, 17, 9,
                                       1, x, 33, x, 17, 0, x, 33);
    clgemm_status second = clgemm_gemm(NULL, &desc, &alpha, x, x, &beta, x);
    clgemm_status third = clgemm_sgemm(CLGEMM_ROW_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, -1, 30, 11,
                                       1, x, 20, x, 30, 2, x, 30);
    if (first == CLGEMM_SUCCESS && second == CLGEMM_SUCCESS && third == CLGEMM_STATUS_INVALID_M)
        return 0;
    fprintf(stderr, "%s, %s, %s; the last error: %s\n", clgemm_status_name(first),
            clgemm_status_name(second), clgemm_status_name(third), clgemm_last_error());
    return 1;
}

/* The child: a rank update and a product with a symmetric matrix, in whose descriptions the
 * dimensions that they do not have are nonsense. */
static int make_calls_of_level3(void) {
    static float x[8 * 8];
    static const float one = 1;
    clgemm_level3_desc desc = {.size = sizeof desc,
                               .layout = CLGEMM_COL_MAJOR,
                               .side = CLGEMM_LEFT,
                               .uplo = CLGEMM_UPPER,
                               .trans = CLGEMM_NO_TRANS,
                               .m = -7,
                               .n = 5,
                               .k = 3,
                               .lda = 8,
                               .ldb = 8,
                               .ldc = 8};
    desc.routine = CLGEMM_SYRK;
    const clgemm_status first = clgemm_level3(NULL, &desc, &one, x, NULL, &one, x);
    desc.routine = CLGEMM_SYMM;
    desc.m = 4;
    desc.k = INT64_MAX;
    const clgemm_status second = clgemm_level3(NULL, &desc, &one, x, x, &one, x);
    return first || second;
}

/* The child: opens two handles. */
static int open_handles(void) {
    for (int i = 0; i < 2; i++) {
        clgemm_handle *handle;
        if (clgemm_create(&handle, NULL))
            return 1;
        clgemm_destroy(handle);
    }
    return 0;
}

static void run_child(const char *verbose, const char *logfile) {
    const char *const environment[] = {verbose, logfile, NULL};
    int status = clg_test_run_self("calls", environment, output, sizeof output);
    if (status != 0)
        print_error("%s\n", output);
    assert_int_equal(status, 0);
}

static int count_lines_with(const char *text, const char *part) {
    int count = 0;
    for (const char *line = text; *line;) {
        const char *end = strchr(line, '\n');
        assert_non_null(end); /* each line is whole */
        const char *found = strstr(line, part);
        count += found && found < end;
        line = end + 1;
    }
    return count;
}

static void assert_contains(const char *text, const char *part) {
    if (!strstr(text, part))
        print_error("\"%s\" is not in:\n%s", part, text);
    assert_non_null(strstr(text, part));
}

static void assert_a_line_a_call(const char *log) {
    assert_int_equal(count_lines_with(log, "clgemm: sgemm on=device why="), 2);
    assert_int_equal(count_lines_with(log, " device=\""), 2);
    assert_int_equal(count_lines_with(log, " family="), 2);
    assert_int_equal(count_lines_with(log, " ms="), 2);
    assert_int_equal(count_lines_with(log, "clgemm: sgemm failed status=-10003 error=\"m = -1"), 1);
    assert_int_equal(count_lines_with(log, " replay=\"clgemm-bench --shape "), 3);
    /* In the caller's terms, whatever the library does with rows and columns. */
    assert_contains(log, "--shape 33x17x9");
    assert_contains(log, "--shape 20x30x11 --batch 2 --trans TN ");
    assert_int_equal(count_lines_with(log, "--batch"), 1);
    assert_int_equal(count_lines_with(log, "--layout row"), 2);
    assert_contains(log, "--trans NT");
    assert_contains(log, "--alpha 0.5");
    assert_contains(log, "--beta 2");
}

static void level_3_has_its_dimensions(void **state) {
    const char *const environment[] = {"CLGEMM_VERBOSE=1", "CLGEMM_LOGFILE", NULL};
    (void)state;
    assert_int_equal(clg_test_run_self("level 3", environment, output, sizeof output), 0);
    assert_contains(output, "clgemm: ssyrk on=device ");
    assert_contains(output, " m=5 n=5 k=3 ");
    assert_contains(output, "clgemm: ssymm on=device ");
    assert_contains(output, " m=4 n=5 k=0 ");
}

static void silent_by_default(void **state) {
    (void)state;
    run_child("CLGEMM_VERBOSE", "CLGEMM_LOGFILE");
    assert_string_equal(output, "");
    run_child("CLGEMM_VERBOSE=0", "CLGEMM_LOGFILE");
    assert_string_equal(output, "");
    run_child("CLGEMM_VERBOSE=", "CLGEMM_LOGFILE");
    assert_string_equal(output, "");
}

static void level_1_is_one_line_a_call(void **state) {
    (void)state;
    run_child("CLGEMM_VERBOSE=1", "CLGEMM_LOGFILE");
    assert_a_line_a_call(output);
    assert_int_equal(count_lines_with(output, ""), count_lines_with(output, "clgemm: "));
    assert_int_equal(count_lines_with(output, "clgemm: sgemm "),
                     count_lines_with(output, "clgemm: "));
}

static void logfile_takes_the_lines(void **state) {
    (void)state;
    char path[] = "/tmp/clgemm-test-log-XXXXXX", setting[80];
    static char log[65536];
    int file = mkstemp(path);
    assert_true(file >= 0);
    snprintf(setting, sizeof setting, "CLGEMM_LOGFILE=%s", path);
    run_child("CLGEMM_VERBOSE=1", setting);
    assert_string_equal(output, "");
    ssize_t length = read(file, log, sizeof log - 1);
    close(file);
    unlink(path);
    assert_true(length > 0);
    log[length] = '\0';
    assert_a_line_a_call(log);
}

/* A call does not fail because its log cannot be written. */
static void unwritable_logfile_is_no_failure(void **state) {
    (void)state;
    run_child("CLGEMM_VERBOSE=1", "CLGEMM_LOGFILE=/nowhere/at/all");
}

static void higher_levels_say_more(void **state) {
    (void)state;
    int lines[4];
    static const char *const levels[] = {NULL, "CLGEMM_VERBOSE=1", "CLGEMM_VERBOSE=2",
                                         "CLGEMM_VERBOSE=3"};
    for (int level = 1; level <= 3; level++) {
        run_child(levels[level], "CLGEMM_LOGFILE");
        lines[level] = count_lines_with(output, "clgemm: ");
        assert_int_equal(lines[level], count_lines_with(output, ""));
        assert_a_line_a_call(output);
    }
    assert_true(lines[1] < lines[2]);
    assert_true(lines[2] <= lines[3]);
}

static void a_gone_variable_is_named_once(void **state) {
    static const struct {
        const char *verbose, *online;
        int lines;
    } cases[] = {
        {"CLGEMM_VERBOSE=1", "CLGEMM_ONLINE=1", 1},
        {"CLGEMM_VERBOSE=1", "CLGEMM_ONLINE", 0},
        {"CLGEMM_VERBOSE=0", "CLGEMM_ONLINE=1", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const environment[] = {cases[i].verbose, cases[i].online, "CLGEMM_LOGFILE",
                                           NULL};
        assert_int_equal(clg_test_run_self("handles", environment, output, sizeof output), 0);
        assert_int_equal(
            count_lines_with(output, "clgemm: CLGEMM_ONLINE is gone and has no effect"),
            cases[i].lines);
    }
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(silent_by_default),
        cmocka_unit_test(level_1_is_one_line_a_call),
        cmocka_unit_test(level_3_has_its_dimensions),
        cmocka_unit_test(logfile_takes_the_lines),
        cmocka_unit_test(unwritable_logfile_is_no_failure),
        cmocka_unit_test(higher_levels_say_more),
        cmocka_unit_test(a_gone_variable_is_named_once),
    };
    if (argc == 2 && strcmp(argv[1], "calls") == 0)
        clg_test_end_child(make_calls());
    if (argc == 2 && strcmp(argv[1], "level 3") == 0)
        clg_test_end_child(make_calls_of_level3());
    if (argc == 2 && strcmp(argv[1], "handles") == 0)
        clg_test_end_child(open_handles());
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
