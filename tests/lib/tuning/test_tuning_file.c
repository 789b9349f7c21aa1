/* SPDX-License-Identifier: Apache-2.0
 * The text of tuning files: what is written is read, and nothing else; a damaged line loses only
 * that line. Without a device. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/matrix.h"
#include "support/tuning.h"

#define NAME "some.json"

enum { ROWS = 4 };

static struct clg_tuning_row originals[ROWS];
static char *whole; /* their text */
static size_t whole_size;

static int make_text(void **state) {
    const struct clg_facts facts = clg_test_cpu_facts();
    (void)state;
    for (int i = 0; i < ROWS; i++)
        originals[i] = clg_test_row(100 * (i + 1), i + 1, 1.234567 * (i + 1));
    originals[1].shape.ta = true;
    originals[2].shape.tb = true;
    originals[2].shape.aligned = false;
    originals[2].shape.type = CLGEMM_F64;
    originals[2].shape.batch = 1000;
    originals[3].family = &clg_family_direct;
    originals[3].params =
        (struct clg_params){.tile_m = 32, .tile_n = 8, .wg_m = 8, .wg_n = 1, .pack_b = 1};
    whole = clg_test_tuning_text(&facts, originals, ROWS, &whole_size);
    return 0;
}

static int free_text(void **state) {
    (void)state;
    free(whole);
    return 0;
}

/* Parses a copy of exactly this size, so that reading past it is detected. */
static bool parse(struct clg_tuning_file *out, const char *text, size_t size) {
    char *copy = clg_test_alloc(size);
    memcpy(copy, text, size);
    const bool good = clg_tuning_file_parse(out, NAME, copy, size, NULL);
    free(copy);
    return good;
}

static int count_found(const struct clg_tuning_file *file, int from, int to) {
    int found = 0;
    for (int i = from; i < to; i++)
        for (size_t j = 0; j < file->count; j++)
            found += clg_test_same_row(&originals[i], &file->rows[j]);
    return found;
}

static void what_is_written_is_read(void **state) {
    const struct clg_facts facts = clg_test_cpu_facts();
    const struct clg_tuning_device device = clg_tuning_device_of(&facts);
    struct clg_tuning_file file;
    (void)state;
    assert_true(parse(&file, whole, whole_size));
    assert_string_equal(file.why, "");
    assert_int_equal(file.count, ROWS);
    assert_int_equal(count_found(&file, 0, ROWS), ROWS);
    assert_int_equal(file.lines[0], 2);
    assert_true(clg_tuning_same_device(&file.device, &device));
    assert_string_equal(file.device.driver, facts.driver);
    assert_string_equal(file.device.vendor, facts.vendor);
    clg_tuning_file_release(&file);
}

/* Every tunable, the largest numbers, the shortest time, and a locale with another decimal
 * point. */
static void extremes_are_read_back(void **state) {
    const struct clg_facts facts = clg_test_cpu_facts();
    struct clg_tuning_row rows[2] = {clg_test_row(1 << 30, 1, 1e-9), clg_test_row(1, 1, 99999999)};
    struct clg_tuning_file file;
    size_t size;
    (void)state;
    for (int i = 0; i < CLG_TUNABLE_COUNT; i++)
        clg_params_set(&rows[0].params, &clg_tunables[i], (1 << 28) - i);
    setlocale(LC_ALL, "de_DE.UTF-8"); /* if it is installed */
    char *text = clg_test_tuning_text(&facts, rows, 2, &size);
    assert_true(parse(&file, text, size));
    setlocale(LC_ALL, "C");
    assert_int_equal(file.faults, 0);
    assert_true(clg_test_same_row(&file.rows[0], &rows[0]));
    assert_true(clg_test_same_row(&file.rows[1], &rows[1]));
    clg_tuning_file_release(&file);
    free(text);
}

static void any_name_of_a_device_is_read_back(void **state) {
    struct clg_facts facts = clg_test_cpu_facts();
    struct clg_tuning_file file;
    size_t size;
    char name[CLG_TUNING_FILE_NAME], other[CLG_TUNING_FILE_NAME];
    (void)state;
    strcpy(facts.name, "../a \"b\" \\c \t\n\001 \303\251 {]}, %s");
    memset(facts.platform, '"', sizeof facts.platform - 1);
    char *text = clg_test_tuning_text(&facts, originals, 1, &size);
    assert_true(parse(&file, text, size));
    assert_int_equal(file.count, 1);
    assert_string_equal(file.device.name, facts.name);
    assert_string_equal(file.device.platform, facts.platform);
    clg_tuning_file_name(&file.device, name);
    assert_null(strchr(name, '/'));
    assert_true(name[0] != '.');
    assert_string_equal(name + strlen(name) - 5, ".json");
    file.device.driver[0] ^= 1;
    clg_tuning_file_name(&file.device, other);
    assert_string_not_equal(name, other);
    clg_tuning_file_release(&file);
    free(text);
}

/* Rows that are complete before the cut are read, and the loss is reported. */
static void cut_at_every_length(void **state) {
    (void)state;
    for (size_t size = 0; size < whole_size - 1; size++) {
        struct clg_tuning_file file;
        int lines = 0;
        for (size_t i = 0; i < size; i++)
            lines += whole[i] == '\n';
        const int rows = lines > 1 ? lines - 1 < ROWS ? lines - 1 : ROWS : 0;
        const bool good = parse(&file, whole, size);
        assert_true(file.faults > 0);
        assert_int_equal(count_found(&file, 0, rows), rows);
        assert_true((int)file.count <= rows + 1 && (good || file.count == 0));
        assert_non_null(strstr(file.why, NAME));
        clg_tuning_file_release(&file);
    }
}

/* Whatever one byte becomes, the other lines' rows are read if the head is valid. */
static void every_byte_damaged(void **state) {
    static const char bytes[] = {'\0', '\n', '"', '\\', '}', ']', '0', '-', ' ', 'x', '\377'};
    char *copy = clg_test_alloc(whole_size);
    (void)state;
    int line = 0;
    for (size_t i = 0; i < whole_size; i++) {
        for (size_t b = 0; b < sizeof bytes; b++) {
            struct clg_tuning_file file;
            memcpy(copy, whole, whole_size);
            copy[i] = bytes[b];
            if (parse(&file, copy, whole_size)) {
                const int hit = line - 1; /* the damaged row, -1 for the head */
                int rest = count_found(&file, 0, ROWS);
                rest -= hit >= 0 && hit < ROWS ? count_found(&file, hit, hit + 1) : 0;
                /* A line without its newline spoils the next one. */
                const int lost = whole[i] == '\n' && bytes[b] != '\n' ? 1 : 0;
                assert_true(rest >= ROWS - (hit >= 0 && hit < ROWS) - lost);
            } else {
                assert_true(file.faults == 1 && file.count == 0);
            }
            clg_tuning_file_release(&file);
        }
        line += whole[i] == '\n';
    }
    free(copy);
}

/* ---- Lines ---- */

#define HEAD                                                                              \
    "{\"schema\": \"clgemm-tuning/1\", \"device\": {\"name\": \"d\", \"vendor\": \"v\", " \
    "\"platform\": \"p\", \"driver\": \"1\", \"compute_units\": 4}, \"rows\": ["
#define ROW_START "{\"m\": 1, \"n\": 2, \"k\": 3, \"ta\": false, \"tb\": true, \"aligned\": true"
#define ROW_END ", \"ms\": 0.5, \"date\": \"2026-11-21\", \"version\": \"0.1.0\"}"
#define GOOD ROW_START ", \"family\": \"direct\", \"params\": {\"WG_M\": 8}" ROW_END

static void bad_rows_are_named(void **state) {
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"nonsense", "expected { but found n"},
        {"{}", "\"m\" is missing"},
        {"{\"m\": 1", "expected } but found the end"},
        {"{\"m\": 0}", "\"m\": a number is smaller than 1"},
        {"{\"m\": -1}", "\"m\": expected a number"},
        {"{\"m\": 1.5}", "\"m\": a number is not an integer"},
        {"{\"m\": 1e3}", "\"m\": a number is not an integer"},
        {"{\"m\": 01}", "\"m\": expected a number"},
        {"{\"m\": 1073741825}", "\"m\": a number is larger than 1073741824"},
        {"{\"m\": 99999999999999999999}", "\"m\": a number is larger"},
        {"{\"m\": 1, \"m\": 1}", "\"m\" appears twice"},
        {"{\"gflops\": 1}", "\"m\" is missing"},
        {"{\"ta\": 0}", "\"ta\": expected true or false"},
        {"{\"family\": \"a family with a name of thirty-two\"}", "a string is longer than 31"},
        {"{\"params\": {\"WG_M\": 0}}", "a number is smaller than 1"},
        {"{\"params\": {\"WG_M\": 268435457}}", "a number is larger than 268435456"},
        {"{\"params\": {\"WG_M\": \"8\"}}", "expected a number"},
        {"{\"params\": {\"WG_M\": 8, \"WG_M\": 8}}", "\"WG_M\" appears twice"},
        {"{\"ms\": 0}", "a number is not above zero"},
        {"{\"ms\": 1.}", "expected a number"},
        {"{\"date\": \"21.11.2026\"}", "is not a date"},
        {"{\"date\": \"2026-11-2\"}", "is not a date"},
        {"{\"date\": \"2026-11-21T00\"}", "a string is longer than 10"},
        {"{\"version\": \"0.1", "a string has no closing quote"},
        {"{\"version\": \"\\q\"}", "an unknown escape"},
        {"{\"version\": \"\\u00\"}", "an unknown escape"},
        {"{\"version\": \"\\u0000\"}", "an unknown escape"},
        {GOOD " x", "something follows the row"},
        {GOOD "," GOOD, "something follows the row"},
        {"] }x", "the end is not ]}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        struct clg_tuning_file file;
        const int size =
            snprintf(text, sizeof text, HEAD "\n" GOOD ",\n%s\n\n" GOOD "\n]}\n", cases[i].line);
        assert_true(parse(&file, text, (size_t)size));
        if (!strstr(file.why, cases[i].says) || strncmp(file.why, NAME ":3: ", 13) != 0)
            print_error("%s: \"%s\", not \"%s\"\n", cases[i].line, file.why, cases[i].says);
        assert_non_null(strstr(file.why, cases[i].says));
        assert_memory_equal(file.why, NAME ":3: ", 13);
        assert_int_equal(file.faults, 1);
        assert_int_equal(file.count, 2);
        assert_int_equal(file.lines[1], 5);
        clg_tuning_file_release(&file);
    }
}

static void bad_heads_give_no_rows(void **state) {
    static const struct {
        const char *head, *says;
    } cases[] = {
        {"", "expected { but found the end"},
        {"\177ELF", "expected { but found byte 0x7f"},
        {"[1, 2]", "expected { but found ["},
        {"{\"device\": 1}", "its first member is not \"schema\""},
        {"{\"schema\": \"clgemm-tuning/2\", \"all\": \"is new\"}",
         "its schema is \"clgemm-tuning/2\"; this version reads clgemm-tuning/1"},
        {"{\"schema\": \"clgemm-bench/1\"}", "its schema is \"clgemm-bench/1\""},
        {"{\"schema\": \"clgemm-tuning/1\", \"rows\": [", "\"device\" is missing before \"rows\""},
        {"{\"schema\": \"clgemm-tuning/1\", \"device\": {\"name\": \"d\"}, \"rows\": [",
         "\"vendor\" is missing"},
        {HEAD " " GOOD, "something follows \"rows\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        struct clg_tuning_file file;
        const int size =
            snprintf(text, sizeof text, "%s\n" GOOD ",\n" GOOD "\n]}\n", cases[i].head);
        assert_false(parse(&file, text, (size_t)size));
        if (!strstr(file.why, cases[i].says))
            print_error("%s: \"%s\", not \"%s\"\n", cases[i].head, file.why, cases[i].says);
        assert_non_null(strstr(file.why, cases[i].says));
        assert_memory_equal(file.why, NAME ":1: ", 13);
        assert_int_equal(file.faults, 1);
        assert_int_equal(file.count, 0);
        clg_tuning_file_release(&file);
    }
}

/* Blanks, carriage returns, missing commas and a missing last newline are accepted. Text after the
 * end is reported, and so is every other fault. */
static void what_is_let_pass(void **state) {
    static const char loose[] = HEAD "\r\n\n \t" GOOD "\r\n" GOOD ",\n ] } ";
    static const char more[] = HEAD "\n" GOOD "\n]}\n" GOOD "\n" GOOD "\n";
    struct clg_tuning_file file;
    (void)state;
    assert_true(parse(&file, loose, sizeof loose - 1));
    assert_string_equal(file.why, "");
    assert_int_equal(file.count, 2);
    clg_tuning_file_release(&file);
    assert_true(parse(&file, more, sizeof more - 1));
    assert_int_equal(file.count, 1);
    assert_int_equal(file.faults, 2);
    assert_string_equal(file.why, NAME ":4: something follows the end ]}");
    clg_tuning_file_release(&file);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(extremes_are_read_back),
        cmocka_unit_test(any_name_of_a_device_is_read_back),
        cmocka_unit_test(cut_at_every_length),
        cmocka_unit_test(every_byte_damaged),

        cmocka_unit_test(bad_rows_are_named),
        cmocka_unit_test(bad_heads_give_no_rows),
        cmocka_unit_test(what_is_let_pass),
    };
    return cmocka_run_group_tests(tests, make_text, free_text);
}
