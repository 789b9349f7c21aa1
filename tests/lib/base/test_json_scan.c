/* SPDX-License-Identifier: Apache-2.0
 * JSON input: escapes, numbers, what is skipped and what is refused. No device is needed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "support/check.h"
#include "support/matrix.h"

#define MARK "\xef\xbf\xbd" /* U+FFFD */

/* Scans a copy of exactly this size, so that reading past it is detected; free(*copy). */
static struct clg_json_scan scan_of(const char *json, char **copy) {
    const size_t size = strlen(json);
    *copy = clg_test_alloc(size);
    memcpy(*copy, json, size);
    return clg_json_scan_start(*copy, size);
}

static void texts_become_utf8(void **state) {
    static const struct {
        const char *json, *text;
    } cases[] = {
        {"\"\"", ""},
        {" \n\"a b\"", "a b"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u007f\\u00e9\\u20AC\\ufffd\"", "A\177\303\251\342\202\254" MARK},
        {"\"\\ud83d\\ude00\"", "\360\237\230\200"},
        {"\"\303\251\"", "\303\251"},
        {"\"1234567890123456789\"", "1234567890123456789"}, /* just fits */
    };
    char out[20], *copy;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_json_scan scan = scan_of(cases[i].json, &copy);
        assert_true(clg_json_scan_text(&scan, out, sizeof out));
        assert_string_equal(out, cases[i].text);
        assert_true(clg_json_scan_at_end(&scan));
        free(copy);
    }
}

static void texts_that_are_none(void **state) {
    static const struct {
        const char *json, *says;
    } cases[] = {
        {"", "expected \" but found the end"},
        {"x", "expected \" but found x"},
        {"\"", "a string has no closing quote"},
        {"\"a", "a string has no closing quote"},
        {"\"a\\", "an unknown escape"},
        {"\"\\u12", "an unknown escape"},
        {"\"\\u12g4\"", "an unknown escape"},
        {"\"\\x\"", "an unknown escape"},
        {"\"\\u0000\"", "an unknown escape"},
        {"\"\\ud83d\"", "an unknown escape"},
        {"\"\\ud83d\\u0041\"", "an unknown escape"},
        {"\"\\ud83d\\", "an unknown escape"},
        {"\"\\ude00\"", "an unknown escape"},
        {"\"\t\"", "a control character"},
        {"\"12345678901234567890\"", "longer than 19"},
        {"\"123456789012345678\303\251\"", "longer than 19"},
    };
    char out[20], *copy;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_json_scan scan = scan_of(cases[i].json, &copy);
        assert_false(clg_json_scan_text(&scan, out, sizeof out));
        if (!strstr(scan.why, cases[i].says))
            fail_msg("%s: %s", cases[i].json, scan.why);
        assert_false(clg_json_scan_text(&scan, out, sizeof out)); /* from then on */
        free(copy);
    }
}

static void numbers_are_read(void **state) {
    static const struct {
        const char *json;
        double value;
    } cases[] = {
        {"0", 0},
        {"-0", 0},
        {"12", 12},
        {"-1.5", -1.5},
        {"0.1", 0.1},
        {"1.10000002", 1.10000002},
        {"6.02e23", 6.02e23},
        {"1E-7", 1e-7},
        {"5e+0", 5},
        {"9007199254740991", 9007199254740991},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
        {"0.000000000000000000000000012345", 1.2345e-26},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"2.2250738585072014e-308", 2.2250738585072014e-308},
        {"1e400", HUGE_VAL},
        {"-1e99999999999999999999", -HUGE_VAL},
        {"1e-400", 0},
        {"0e99999", 0},
    };
    static const char *const none[] = {"",   "-",  "+1",  ".5",  "1.",  "1.e3", "01",   "-01",
                                       "1e", "e5", "1e+", "nan", "inf", "0x10", "\"1\""};
    char *copy;
    double value;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_json_scan scan = scan_of(cases[i].json, &copy);
        assert_true(clg_json_scan_number(&scan, &value));
        assert_true(clg_json_scan_at_end(&scan));
        const double bound = i < 10 ? 0 : 1e-15 * fabs(cases[i].value);
        if (value != cases[i].value && !(fabs(value - cases[i].value) <= bound))
            fail_msg("%s: %.17g", cases[i].json, value);
        free(copy);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct clg_json_scan scan = scan_of(none[i], &copy);
        if (clg_json_scan_number(&scan, &value) && clg_json_scan_at_end(&scan))
            fail_msg("%s: %.17g", none[i], value);
        free(copy);
    }
}

static void any_value_is_skipped(void **state) {
    static const char *const values[] = {
        "1",
        "-2.5e-3",
        "true",
        "false",
        "null",
        "\"\"",
        "\"a \\u0000 \\ud800 \\\" ]}\"",
        "[]",
        "{}",
        "[1, [2, {\"a\": [], \"a\": {}}], \"x\"]",
        "{ \"a\" : 1 ,\n\t\"a name that is longer than any that is known\" : { \"\": null } }",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", /* 31 */
    };
    static const char *const none[] = {
        "",
        "tru",
        "nul",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[1 2]",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":}",
        "{\"a\":1,}",
        "{1:1}",
        "{\"a\" 1}",
        "[1}",
        "]",
        "-",
        "01",
        "\"\\q\"",
        "\"\\ud83d\\uzzzz\"",
        "'a'",
        "NaN",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    };
    char *copy;
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct clg_json_scan scan = scan_of(values[i], &copy);
        if (!clg_json_scan_skip(&scan) || !clg_json_scan_at_end(&scan))
            fail_msg("%s: %s", values[i], scan.why);
        free(copy);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct clg_json_scan scan = scan_of(none[i], &copy);
        if (clg_json_scan_skip(&scan) && clg_json_scan_at_end(&scan))
            fail_msg("%s is taken for a value", none[i]);
        free(copy);
    }
    const size_t size = 100000; /* no stack is deep enough for these */
    char *deep = clg_test_alloc(size);
    memset(deep, '[', size);
    struct clg_json_scan scan = clg_json_scan_start(deep, size);
    assert_false(clg_json_scan_skip(&scan));
    assert_string_equal(scan.why, "values are nested deeper than 32");
    free(deep);
}

struct pair {
    double a, b;
};

static bool read_a(struct clg_json_scan *scan, void *out) {
    return clg_json_scan_number(scan, &((struct pair *)out)->a);
}

static bool read_b(struct clg_json_scan *scan, void *out) {
    return clg_json_scan_number(scan, &((struct pair *)out)->b);
}

static const struct clg_json_member pair_members[] = {{"a", read_a, false}, {"b", read_b, true}};

static void objects_are_read(void **state) {
    static const struct {
        const char *json, *says;
        struct pair pair;
        size_t unknown;
    } cases[] = {
        {"{\"a\": 1, \"b\": 2}", "", {1, 2}, 0},
        {"{\"b\":2,\"a\":1}", "", {1, 2}, 0},
        {"{\"a\": 1}", "", {1, -1}, 0},
        {"{\"c\": [1, {}], \"a\": 1, \"d\": null, \"c\": 0}", "", {1, -1}, 3},
        {"{\"\\u0061\": 3}", "", {3, -1}, 0},
        {"{\"a a a a a a a a a a a a a a a a a\": 0, \"a\": 3}", "", {3, -1}, 1},
        {"{}", "\"a\" is missing", {-1, -1}, 0},
        {"{\"b\": 1}", "\"a\" is missing", {-1, 1}, 0},
        {"{\"a\": 1, \"a\": 1}", "\"a\" appears twice", {1, -1}, 0},
        {"{\"a\": x}", "\"a\": expected a number", {0, -1}, 0},
        {"{\"c\": x}", "\"c\": expected a value", {-1, -1}, 1},
        {"{\"a\": 1,}", "expected \" but found }", {1, -1}, 0},
        {"{\"a\": 1", "expected } but found the end", {1, -1}, 0},
        {"[1]", "expected { but found [", {-1, -1}, 0},
    };
    char *copy;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_json_scan scan = scan_of(cases[i].json, &copy);
        struct pair pair = {-1, -1};
        const bool good = clg_json_scan_object(&scan, pair_members, 2, &pair);
        if (good != !*cases[i].says || !strstr(scan.why, cases[i].says))
            fail_msg("%s: %s", cases[i].json, scan.why);
        assert_true(pair.a == cases[i].pair.a && pair.b == cases[i].pair.b);
        assert_int_equal(scan.unknown, cases[i].unknown);
        free(copy);
    }
    struct clg_json_scan scan = scan_of("{\"c\": 1, \"d\": 1, \"a\": 1}", &copy);
    struct pair pair;
    assert_true(clg_json_scan_object(&scan, pair_members, 2, &pair));
    assert_string_equal(scan.unknown_name, "c");
    free(copy);
}

static bool read_pair(struct clg_json_scan *scan, void *out) {
    struct pair one = {0}, *sum = out;
    const bool good = clg_json_scan_object(scan, pair_members, 2, &one);
    sum->a += one.a;
    sum->b += one.b;
    return good;
}

static void arrays_are_read(void **state) {
    static const struct {
        const char *json;
        bool good;
        double a, b;
    } cases[] = {
        {"[]", true, 0, 0},
        {"[{\"a\": 1}]", true, 1, 0},
        {" [ {\"a\": 1} , {\"a\": 2, \"b\": 5} ] ", true, 3, 5},
        {"[{\"a\": 1},]", false, 1, 0},
        {"[{\"a\": 1}", false, 1, 0},
        {"[{\"a\": 1} {\"a\": 1}]", false, 1, 0},
        {"{}", false, 0, 0},
    };
    char *copy;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_json_scan scan = scan_of(cases[i].json, &copy);
        struct pair sum = {0};
        assert_int_equal(clg_json_scan_array(&scan, read_pair, &sum), cases[i].good);
        assert_int_equal(*scan.why != '\0', !cases[i].good);
        assert_true(sum.a == cases[i].a && sum.b == cases[i].b);
        assert_true(!cases[i].good || clg_json_scan_at_end(&scan));
        free(copy);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_become_utf8), cmocka_unit_test(texts_that_are_none),
        cmocka_unit_test(numbers_are_read),  cmocka_unit_test(any_value_is_skipped),
        cmocka_unit_test(objects_are_read),  cmocka_unit_test(arrays_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
