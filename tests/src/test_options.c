/* SPDX-License-Identifier: Apache-2.0
 * Command lines by a table: what the rows read, what is refused, and the help text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/option_readers.h"
#include "src/common/output.h"
#include "src/common/transposes.h"
#include "support/check.h"

struct wanted {
    bool list, verify;
    const char *device, *path, *secret;
    enum format format;
    struct transpose_list trans;
};

static const struct option_row rows[] = {
    {.help = "A heading"},
    {"device", 'd', "DEVICE", "which device", option_text, offsetof(struct wanted, device)},
    {"list", 'l', NULL, "only list", option_on, offsetof(struct wanted, list)},
    {"no-verify", 0, NULL, "do not check", option_off, offsetof(struct wanted, verify)},
    {"secret", 0, "WORD", NULL, option_text, offsetof(struct wanted, secret)},
    OPTION_FORMAT(struct wanted, format),
    OPTION_OUT(struct wanted, path,
               "one two three four five six seven eight nine ten eleven twelve"),
    {"a-name-that-is-far-too-wide", 0, "LIST", "below", option_trans,
     offsetof(struct wanted, trans)},
    OPTION_END,
};

static const char *version(void) {
    return "1.2";
}

static struct option_table table = {.command = "program",
                                    .usage = "usage: program\n",
                                    .rows = rows,
                                    .notes = "Notes.\n",
                                    .version = version};

enum { WORDS_MAX = 8 };

/* Reads a command line whose words are separated by blanks. */
static enum parsed read_line(struct wanted *out, const char *line, int *words) {
    static char text[256];
    char *argv[WORDS_MAX + 2] = {(char *)"program"};
    int argc = 1;
    *out = (struct wanted){.verify = true};
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word && argc <= WORDS_MAX; word = strtok(NULL, " "))
        argv[argc++] = word;
    return options_read(&table, out, argc, argv, words);
}

static void test_values(void **state) {
    struct wanted w;
    (void)state;
    assert_int_equal(read_line(&w, "-d gpu --list --no-verify -ojson --out=file --secret x", NULL),
                     PARSED_RUN);
    assert_string_equal(w.device, "gpu");
    assert_true(w.list);
    assert_false(w.verify);
    assert_int_equal(w.format, FORMAT_JSON);
    assert_string_equal(w.path, "file");
    assert_string_equal(w.secret, "x");

    /* A later value replaces an earlier one; a short name may be followed by its value without a
     * blank. */
    assert_int_equal(read_line(&w, "-dcpu --device 0:1 -o json --output md", NULL), PARSED_RUN);
    assert_string_equal(w.device, "0:1");
    assert_int_equal(w.format, FORMAT_MD);
    assert_int_equal(read_line(&w, "--a-name-that-is NN,TT --a-name-that-is-far-too-wide TN", NULL),
                     PARSED_RUN);
    assert_int_equal(w.trans.count, 1);
    assert_string_equal(trans_name(w.trans.items[0]), "TN");
}

static void test_refused(void **state) {
    static const char *const lines[] = {
        "word",     "-x",       "--nonsense",          "-o csv",
        "-o",       "--list=1", "--a-name-that-is NX", "--a-name-that-is NN,",
        "--device", "-l word"};
    struct wanted w;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (read_line(&w, lines[i], NULL) != PARSED_WRONG)
            fail_msg("\"%s\" was taken", lines[i]);
    int code = -1;
    assert_false(options_go_on(PARSED_WRONG, &code));
    assert_int_equal(code, 2);
    assert_false(options_go_on(PARSED_DONE, &code));
    assert_int_equal(code, 0);
    assert_true(options_go_on(PARSED_RUN, &code));
}

/* Words that are not options: arguments after the options, or the beginning of another program's
 * command line. */
static void test_words(void **state) {
    struct wanted w;
    int words = 0;
    (void)state;
    assert_int_equal(read_line(&w, "target -l more", &words), PARSED_RUN);
    assert_int_equal(words, 2);
    assert_true(w.list);
    table.stops = true;
    assert_int_equal(read_line(&w, "-d cpu true -l --nonsense", &words), PARSED_RUN);
    assert_int_equal(words, 3);
    assert_false(w.list);
    table.stops = false;
}

static void test_help(void **state) {
    static const char expected[] =
        "usage: program\n"
        "\n"
        "A heading\n"
        "  -d, --device DEVICE   which device\n"
        "  -l, --list            only list\n"
        "  --no-verify           do not check\n"
        "  -o, --output md|json  format of the report (default md)\n"
        "  --out FILE            one two three four five six seven eight nine ten eleven\n"
        "                        twelve\n"
        "  --a-name-that-is-far-too-wide LIST\n"
        "                        below\n"
        "  -h, --help            print this help and exit\n"
        "  --version             print the version and exit\n"
        "\n"
        "Notes.\n";
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    assert_non_null(out);
    options_print_help(out, &table);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

/* What manual pages and completion use: the same as the help. */
static void test_description(void **state) {
    static const char *const lines[] = {"\"usage\": \"usage: program\\u000a\"",
                                        "\"notes\": \"Notes.\\u000a\"",
                                        "\"stops\": false",
                                        "\"name\": null",
                                        "\"letter\": \"o\"",
                                        "\"argument\": \"md|json\"",
                                        "\"name\": \"help\"",
                                        "\"name\": \"version\""};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    assert_non_null(out);
    options_describe(out, &table);
    fclose(out);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i]))
            fail_msg("%s is not in %s", lines[i], text);
    assert_null(strstr(text, "secret"));
    assert_null(strstr(text, "option-table"));
    free(text);
}

static void test_formats(void **state) {
    enum format format = FORMAT_MD;
    char why[80];
    (void)state;
    assert_true(format_parse(&format, "csv", true, why, sizeof why));
    assert_int_equal(format, FORMAT_CSV);
    assert_false(format_parse(&format, "csv", false, why, sizeof why));
    assert_string_equal(why, "\"csv\" is neither md nor json");
    assert_false(format_parse(&format, "xml", true, why, sizeof why));
    assert_int_equal(format, FORMAT_CSV);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_words),       cmocka_unit_test(test_help),
        cmocka_unit_test(test_description), cmocka_unit_test(test_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
