/* SPDX-License-Identifier: Apache-2.0
 * JSON output: both layouts, escapes, numbers. No device is needed. */
#define _GNU_SOURCE
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/json_scan.h"
#include "base/json_writer.h"
#include "support/check.h"

#define MARK "\xef\xbf\xbd" /* U+FFFD */

static char *text;
static size_t text_size;

static struct clg_json begin(bool flat) {
    struct clg_json json = {.out = open_memstream(&text, &text_size), .flat = flat};
    assert_non_null(json.out);
    return json;
}

static void assert_written(const struct clg_json *json, const char *expected) {
    assert_false(json->failed);
    assert_int_equal(fclose(json->out), 0);
    assert_string_equal(text, expected);
    free(text);
}

static void write_some(struct clg_json *json) {
    clg_json_open(json, NULL, '{');
    clg_json_text(json, "name", "x");
    clg_json_text(json, "none", NULL);
    clg_json_line(json, 1);
    clg_json_open(json, "list", '[');
    clg_json_count(json, NULL, UINT64_MAX);
    clg_json_line(json, 3);
    clg_json_bool(json, NULL, true);
    clg_json_open(json, NULL, '{');
    clg_json_close(json, '}');
    clg_json_raw(json, NULL, "[1]  ", 3);
    clg_json_line(json, 0);
    clg_json_close(json, ']');
    clg_json_open(json, "empty", '[');
    clg_json_close(json, ']');
    clg_json_close(json, '}');
}

static void each_value_has_a_line_of_its_own(void **state) {
    struct clg_json json = begin(false);
    (void)state;
    write_some(&json);
    assert_written(&json, "{\n"
                          "  \"name\": \"x\",\n"
                          "  \"none\": null,\n"
                          "  \"list\": [\n"
                          "    18446744073709551615,\n"
                          "    true,\n"
                          "    {},\n"
                          "    [1]\n"
                          "  ],\n"
                          "  \"empty\": []\n"
                          "}\n");
}

static void flat_text_breaks_where_it_is_told_to(void **state) {
    struct clg_json json = begin(true);
    (void)state;
    write_some(&json);
    assert_written(&json, "{\"name\": \"x\", \"none\": null,\n"
                          " \"list\": [18446744073709551615,\n"
                          "   true, {}, [1]\n"
                          "], \"empty\": []}\n");
}

static void strings_are_utf8(void **state) {
    static const struct {
        const char *given, *written;
    } cases[] = {
        {"", "\"\""},
        {"a \"b\" \\c /", "\"a \\\"b\\\" \\\\c /\""},
        {"\t\n\001\177", "\"\\u0009\\u000a\\u0001\\u007f\""},
        {"\303\251 \342\202\254 \360\237\230\200", "\"\303\251 \342\202\254 \360\237\230\200\""},
        {"\xff", "\"" MARK "\""},
        {"a\303", "\"a" MARK "\""},                          /* cut short */
        {"\300\257", "\"" MARK MARK "\""},                   /* overlong */
        {"\355\240\200", "\"" MARK MARK MARK "\""},          /* a surrogate */
        {"\364\220\200\200", "\"" MARK MARK MARK MARK "\""}, /* past U+10FFFF */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_json json = begin(true);
        clg_json_text(&json, NULL, cases[i].given);
        assert_written(&json, cases[i].written);
    }
    struct clg_json json = begin(true);
    clg_json_open(&json, NULL, '{');
    clg_json_bool(&json, "\xff\"", false);
    clg_json_close(&json, '}');
    assert_written(&json, "{\"" MARK "\\\"\": false}\n");
}

static void write_numbers(struct clg_json *json) {
    clg_json_open(json, NULL, '[');
    clg_json_number(json, NULL, 0.1f);
    clg_json_number(json, NULL, -1.5e300);
    clg_json_number(json, NULL, NAN);
    clg_json_number(json, NULL, -INFINITY);
    clg_json_digits(json, NULL, 1234567.5, 4);
    clg_json_decimals(json, NULL, 1.0000005, 6);
    clg_json_decimals(json, NULL, 123456789012.4, 0);
    clg_json_decimals(json, NULL, NAN, 2);
    clg_json_close(json, ']');
}

static void numbers_are_the_same_in_every_locale(void **state) {
    static const char *const locales[] = {"C", "de_DE.UTF-8", "ps_AF.UTF-8"}; /* if installed */
    (void)state;
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        struct clg_json json = begin(true);
        setlocale(LC_ALL, locales[i]);
        write_numbers(&json);
        setlocale(LC_ALL, "C");
        assert_written(&json, "[0.100000001, -1.5e+300, null, null, 1.235e+06, 1.000001, "
                              "123456789012, null]\n");
    }
    struct clg_json json = begin(true); /* the largest number does not overrun the buffer */
    clg_json_decimals(&json, NULL, -1.7976931348623157e308, 1000);
    assert_false(json.failed);
    fclose(json.out);
    assert_int_equal(text_size, 1 + 309 + 1 + 32);
    free(text);
}

static void what_cannot_be_written_is_told(void **state) {
    struct clg_json json = {.out = fopen("/dev/full", "w")};
    (void)state;
    assert_non_null(json.out);
    setvbuf(json.out, NULL, _IONBF, 0);
    clg_json_open(&json, NULL, '{');
    assert_true(json.failed);
    clg_json_text(&json, "a", "b");
    clg_json_close(&json, '}');
    assert_true(json.failed);
    fclose(json.out);
}

static void copies_are_utf8_and_cut_no_character(void **state) {
    char out[8];
    (void)state;
    assert_string_equal(clg_utf8_copy(out, sizeof out, "a\xff\303\251"), "a" MARK "\303\251");
    assert_string_equal(clg_utf8_copy(out, 6, "a\xff\303\251"), "a" MARK);
    assert_string_equal(clg_utf8_copy(out, 4, "a\xff"), "a");
    assert_string_equal(clg_utf8_copy(out, 1, "a"), "");
}

/* The scanner reads what the writer writes. */
static bool read_text(struct clg_json_scan *scan, void *out) {
    return clg_json_scan_text(scan, out, 32);
}

static void what_is_written_is_read(void **state) {
    static const char given[] = "\t\"\\ \177 \303\251 /";
    static const struct clg_json_member members[] = {{"text", read_text, false}};
    struct clg_json json = begin(true);
    char out[32];
    (void)state;
    clg_json_open(&json, NULL, '{');
    clg_json_number(&json, "a", -1.5e-7);
    clg_json_text(&json, "text", given);
    clg_json_close(&json, '}');
    fclose(json.out);
    struct clg_json_scan scan = clg_json_scan_start(text, text_size);
    assert_true(clg_json_scan_object(&scan, members, 1, out));
    assert_string_equal(out, given);
    assert_int_equal(scan.unknown, 1);
    assert_true(clg_json_scan_at_end(&scan));
    free(text);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_value_has_a_line_of_its_own),
        cmocka_unit_test(flat_text_breaks_where_it_is_told_to),
        cmocka_unit_test(strings_are_utf8),
        cmocka_unit_test(numbers_are_the_same_in_every_locale),
        cmocka_unit_test(what_cannot_be_written_is_told),
        cmocka_unit_test(copies_are_utf8_and_cut_no_character),
        cmocka_unit_test(what_is_written_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
