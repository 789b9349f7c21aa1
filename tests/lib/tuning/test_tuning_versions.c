/* SPDX-License-Identifier: Apache-2.0
 * Tuning files of other versions: those of 0.1.0 are read, and written so that 0.1.0 can read them.
 * Of later ones this version reads what it knows, and loses nothing. Without a device. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "support/check.h"
#include "support/matrix.h"
#include "support/tuning_places.h"

#define OLD CLG_TEST_DATA "/0.1.0.json"
#define OLD_NAMES CLG_TEST_DATA "/0.1.0-names.json"
#define TOMORROW CLG_TEST_DATA "/tomorrow.json"

enum { SERVED = 2, UNSERVED = 4 }; /* rows of TOMORROW */

static char log_path[] = "/tmp/clgemm-test-log-XXXXXX";

static char *read_text(const char *path, size_t *size) {
    unsigned char *bytes = clg_test_file_read(path, size);
    char *text = clg_test_alloc(*size + 1);
    memcpy(text, bytes, *size);
    text[*size] = '\0';
    free(bytes);
    return text;
}

static void parse_file(struct clg_tuning_file *out, const char *path) {
    size_t size;
    char *text = read_text(path, &size);
    assert_true(clg_tuning_file_parse(out, path, text, size, NULL));
    free(text);
}

/* ---- 0.1.0 ---- */

static void a_file_of_0_1_0_is_read_and_written_alike(void **state) {
    struct clg_tuning_file file;
    size_t size, old_size;
    char *old = read_text(OLD, &old_size);
    (void)state;
    parse_file(&file, OLD);
    assert_int_equal(file.faults, 0);
    assert_int_equal(file.count, 4);
    assert_int_equal(file.num_unserved, 0);
    assert_string_equal(file.device.name, "test CPU");
    assert_int_equal(file.once.break_evens[CLGEMM_F32].flops, 905969664);
    assert_int_equal(file.rows[0].params.reg_n, 5);
    assert_ptr_equal(file.rows[2].family, &clg_family_direct);
    assert_true(file.rows[2].ms == 1e-6);
    assert_int_equal(file.rows[3].shape.m, 1 << 30);
    char *text = clg_tuning_file_format(&file, &size);
    assert_non_null(text);
    assert_string_equal(text, old);
    assert_int_equal(size, old_size);
    free(text);
    free(old);
    clg_tuning_file_release(&file);
}

/* So older versions read rows of f32 from a file that has others, and a break-even of f32. */
static void f32_is_written_as_before_there_were_types(void **state) {
    const struct clg_facts facts = clg_test_cpu_facts();
    struct clg_tuning_row rows[2] = {clg_test_row(1000, 5, 1), clg_test_row(1000, 5, 1)};
    struct clg_break_even break_even = {.flops = 8, .date = "2026-01-01", .version = "0.1.0"};
    struct clg_tuning_file file = {.device = clg_tuning_device_of(&facts), .rows = rows};
    size_t size;
    (void)state;
    file.count = 1;
    file.once.break_evens[CLGEMM_F32] = break_even;
    char *single = clg_tuning_file_format(&file, &size);
    file.count = 2;
    rows[1].shape.type = break_even.type = CLGEMM_F64;
    file.once.break_evens[CLGEMM_F64] = break_even;
    char *both = clg_tuning_file_format(&file, &size);
    assert_null(strstr(single, "type"));
    char *row = strchr(single, '\n'), *head_end = strstr(single, ", \"rows\"");
    row[strcspn(row + 1, "\n") + 1] = '\0';
    assert_non_null(strstr(both, row));
    assert_non_null(strstr(both, "\n{\"type\": \"f64\", \"m\": 1000, "));
    *head_end = '\0';
    assert_memory_equal(both, single, (size_t)(head_end - single));
    assert_non_null(strstr(both, ", \"break_even_f64\": {\"flops\": 8, "));
    free(single);
    free(both);
}

/* 0.1.0 wrote drivers' names unchanged; now they are UTF-8, and both are the same device. */
static void names_that_are_no_utf8_are_the_same_device(void **state) {
    struct clg_facts facts = clg_test_cpu_facts();
    struct clg_tuning_file old, file;
    size_t size;
    (void)state;
    strcpy(facts.name, "a \"card\" \\ \t\001\177 \303\251 \377 {]}, %s");
    const struct clg_tuning_device device = clg_tuning_device_of(&facts);
    parse_file(&old, OLD_NAMES);
    assert_true(clg_tuning_same_device(&old.device, &device));
    char *text = clg_test_tuning_text(&facts, old.rows, old.count, &size);
    for (const char *c = text; *c; c += clg_utf8_length(c))
        assert_int_not_equal(clg_utf8_length(c), 0);
    assert_true(clg_tuning_file_parse(&file, "new", text, size, NULL));
    assert_true(clg_tuning_same_device(&file.device, &device));
    clg_tuning_file_release(&file);
    free(text);
    /* A name that fills its field, with the last character cut: the same from the driver and from
     * files. */
    memset(facts.name, '\377', sizeof facts.name - 1);
    facts.name[0] = 'a';
    text = clg_test_tuning_text(&facts, old.rows, old.count, &size);
    assert_true(clg_tuning_file_parse(&file, "new", text, size, NULL));
    const struct clg_tuning_device full = clg_tuning_device_of(&facts);
    assert_true(clg_tuning_same_device(&file.device, &full));
    clg_tuning_file_release(&file);
    clg_tuning_file_release(&old);
    free(text);
}

static void how_fast_the_host_is_is_kept(void **state) {
    const struct clg_facts facts = clg_test_cpu_facts();
    const struct clg_host_speeds speeds = {55000, 54000, 2500,         9000,
                                           45000, 8,     "2026-02-03", "0.2.0"};
    struct clg_tuning_file file = {.device = clg_tuning_device_of(&facts),
                                   .once = {.speeds = speeds}},
                           read;
    static const char *const bad[][2] = {{"\"up_mb_s\": 55000", "\"up_mb_s\": 0"},
                                         {"\"up_mb_s\": 55000, ", ""},
                                         {"\"threads\": 8", "\"threads\": \"8\""}};
    size_t size;
    (void)state;
    char *text = clg_tuning_file_format(&file, &size);
    assert_true(clg_tuning_file_parse(&read, "speeds", text, size, NULL));
#define IS_KEPT(name) assert_int_equal(read.once.speeds.name, speeds.name);
    CLG_HOST_SPEEDS(IS_KEPT)
#undef IS_KEPT
    assert_string_equal(read.once.speeds.date, speeds.date);
    assert_string_equal(read.once.speeds.version, speeds.version);
    clg_tuning_file_release(&read);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char other[2048];
        const char *at = strstr(text, bad[i][0]);
        assert_non_null(at);
        const int length = snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text,
                                    bad[i][1], at + strlen(bad[i][0]));
        assert_false(clg_tuning_file_parse(&read, "bad", other, (size_t)length, NULL));
        clg_tuning_file_release(&read);
    }
    free(text);
}

/* ---- Later versions ---- */

static void a_file_of_tomorrow_is_read(void **state) {
    struct clg_tuning_file file;
    size_t size;
    (void)state;
    assert_int_equal(truncate(log_path, 0), 0);
    parse_file(&file, TOMORROW);
    assert_string_equal(file.why, "");
    assert_int_equal(file.faults, 0);
    assert_int_equal(file.count, SERVED);
    assert_int_equal(file.num_unserved, UNSERVED);
    assert_int_equal(file.lines[1], 3);
    assert_int_equal(file.rows[0].params.reg_n, 5);
    assert_int_equal(file.rows[1].params.reg_n, 6);
    assert_int_equal(file.once.break_evens[CLGEMM_F32].flops, 905969664);
    clg_tuning_file_release(&file);
    char *log = read_text(log_path, &size);
    const char *rows = strstr(log, "4 rows are not for this version; line 4: its type is \"f8\"\n");
    assert_non_null(rows);
    assert_non_null(
        strstr(rows, "7 members are not known to this version; line 1: \"written_by\"\n"));
    assert_int_equal(size, strlen(log));
    free(log);
}

static void rows_of_tomorrow_are_no_faults(void **state) {
    struct clg_test_places *p = *state;
    struct clg_tuning *table;
    clg_test_assert_success(clg_tuning_import(&table, NULL, &p->facts, TOMORROW));
    assert_int_equal(clg_tuning_source(table, CLG_TUNING_IMPORTED)->faults, 0);
    assert_int_equal(clg_tuning_source(table, CLG_TUNING_IMPORTED)->rows, SERVED);
    assert_int_equal(clg_test_found_in(p, table, 1000), 5);
}

#define HEAD                                                                              \
    "{\"schema\": \"clgemm-tuning/1\", \"device\": {\"name\": \"d\", \"vendor\": \"v\", " \
    "\"platform\": \"p\", \"driver\": \"1\", \"compute_units\": 4}, \"rows\": [\n"
#define REST                                                                                 \
    "\"m\": 1, \"n\": 2, \"k\": 3, \"ta\": false, \"tb\": true, \"aligned\": true, \"ms\": " \
    "0.5, \"date\": \"2026-11-21\", \"version\": \"0.1.0\"}"
#define ROW(family, params) ", \"family\": \"" family "\", \"params\": {" params "}, " REST

enum kind { GOOD, OTHER, BAD };

static void rows_are_good_or_of_another_version_or_bad(void **state) {
    static const struct {
        const char *line;
        enum kind kind;
    } cases[] = {
        {"{\"type\": \"f32\"" ROW("direct", "\"WG_M\": 8"), GOOD},
        {"{\"type\": \"f64\"" ROW("direct", "\"WG_M\": 8"), GOOD},
        {"{\"math\": \"strict\"" ROW("direct", "\"WG_M\": 8"), GOOD},
        {"{\"batch\": 1" ROW("direct", "\"WG_M\": 8"), GOOD},
        {"{\"type\": \"F32\"" ROW("direct", "\"WG_M\": 8"), OTHER},
        {"{\"math\": \"accurate\"" ROW("direct", "\"WG_M\": 8"), GOOD},
        {"{\"type\": \"f16\"" ROW("direct", "\"WG_M\": 8"), GOOD},
        {"{\"type\": \"bf16\"" ROW("direct", "\"WG_M\": 8"), GOOD},
        {"{\"type\": \"complex\"" ROW("direct", "\"WG_M\": 8"), OTHER},
        {"{\"math\": \"rough\"" ROW("direct", "\"WG_M\": 8"), OTHER},
        {"{\"batch\": 1000" ROW("direct", "\"WG_M\": 8"), GOOD},
        {"{\"x\": 0" ROW("directly", "\"WG_M\": 8"), OTHER},
        {"{\"x\": 0" ROW("direct", "\"TILE_Q\": 8"), OTHER},
        {"{\"x\": 0" ROW("direct", "\"tile_m\": 8"), OTHER},
        {"{\"x\": 0" ROW("direct", "\"WG_M\": 8, \"A_TUNABLE_WITH_A_VERY_LONG_NAME_INDEED\": []"),
         OTHER},
        {"{\"m\": 4294967296, \"ms\": \"-\", \"type\": \"complex\"}", OTHER},
        {"{\"type\": \"complex\"}", OTHER},
        {"{\"type\": 32" ROW("direct", "\"WG_M\": 8"), BAD},
        {"{\"type\": null" ROW("direct", "\"WG_M\": 8"), BAD},
        {"{\"batch\": \"some\"" ROW("direct", "\"WG_M\": 8"), BAD},
        {"{\"batch\": 0" ROW("direct", "\"WG_M\": 8"), BAD},
        {"{\"type\": \"f32\", \"type\": \"f32\"" ROW("direct", "\"WG_M\": 8"), BAD},
        {"{\"x\": 0" ROW("direct", "\"WG_M\": \"8\""), BAD},
        {"{\"x\": 0" ROW("a family with a name of thirty-two", "\"WG_M\": 8"), BAD},
        {"{\"x\": " ROW("direct", "\"WG_M\": 8"), BAD},
        {"{\"type\": \"complex\" " REST, BAD},
        {"{\"type\": \"complex\", \"m\": 1", BAD},
        {"{\"type\": \"complex\"} {}", BAD},
        {"{\"type\": \"complex\", \"type\": \"complex\"}", BAD},
        {"{\"type\": \"complex\", \"m\": 01}", BAD},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_tuning_file file;
        char text[2048];
        const int size = snprintf(text, sizeof text, HEAD "%s\n]}\n", cases[i].line);
        assert_true(clg_tuning_file_parse(&file, "f", text, (size_t)size, NULL));
        const enum kind kind = file.count ? GOOD : file.num_unserved ? OTHER : BAD;
        if (kind != cases[i].kind || file.faults != (kind == BAD))
            fail_msg("%s is %d (%s)", cases[i].line, kind, file.why);
        clg_tuning_file_release(&file);
    }
}

/* Until 0.2.0 some families had numbers of their own in other tunables. */
static void tunables_are_read_by_their_former_names(void **state) {
    static const struct {
        const char *line;
        int sharers, narrow_a;
    } cases[] = {
        {"{\"x\": 0" ROW("tensor", "\"TILE_M\": 128, \"SPLIT_TAIL\": 4"), 4, 0},
        {"{\"x\": 0" ROW("mma", "\"TILE_M\": 128, \"SPLIT_TAIL\": 6"), 6, 0},
        {"{\"x\": 0" ROW("skinny", "\"PACK_A\": 1, \"SPLIT_TAIL\": 8"), 8, 1},
        {"{\"x\": 0" ROW("skinny", "\"PACK_B\": 1"), 0, 0},
        {"{\"x\": 0" ROW("skinny", "\"NARROW_A\": 1, \"SHARERS\": 8"), 8, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_tuning_file file;
        char text[2048];
        const int size = snprintf(text, sizeof text, HEAD "%s\n]}\n", cases[i].line);
        assert_true(clg_tuning_file_parse(&file, "f", text, (size_t)size, NULL));
        assert_int_equal(file.count, 1);
        const struct clg_params *params = &file.rows[0].params;
        assert_int_equal(params->sharers, cases[i].sharers);
        assert_int_equal(params->narrow_a, cases[i].narrow_a);
        assert_int_equal(params->split_tail + params->pack_a + params->pack_b, 0);
        clg_tuning_file_release(&file);
    }
}

/* Writing beside rows of a later version leaves them unchanged, however often. */
static void rows_of_tomorrow_are_kept(void **state) {
    struct clg_test_places *p = *state;
    struct clg_tuning_row row = clg_test_row(1000, 7, 0.5);
    size_t size;
    unsigned char *given = clg_test_file_read(TOMORROW, &size);
    char path[CLG_TEST_PATH];
    clg_test_join(path, p->scratch, "file.json");
    clg_test_file_write(path, given, size);
    free(given);
    strcpy(row.date, "2028-01-01");
    for (int i = 0; i < 3; i++) {
        struct clg_tuning_file file;
        row.shape.m = 1000 + i;
        clg_test_assert_success(clg_tuning_write(path, &p->facts, &row, 1, NULL, NULL, 0));
        parse_file(&file, path);
        assert_int_equal(file.faults, 0);
        assert_int_equal(file.count, SERVED + i);
        assert_int_equal(file.num_unserved, UNSERVED);
        clg_tuning_file_release(&file);
    }
    char *before = read_text(TOMORROW, &size), *after = read_text(path, &size);
    char *line = strstr(before, "{\"type\": \"f8\""), *end;
    for (int i = 0; i < UNSERVED; i++, line = end + 1) {
        end = strchr(line, '\n');
        line += strspn(line, " ");
        char *last = end;
        while (last[-1] == ' ' || last[-1] == ',')
            last--;
        *last = '\0';
        const char *kept = strstr(after, line);
        assert_non_null(kept);
        assert_int_equal(kept[-1], '\n');
        assert_null(strstr(kept + 1, line));
    }
    free(before);
    free(after);
}

#define IN_PLACES(name) \
    cmocka_unit_test_setup_teardown(name, clg_test_places_setup, clg_test_places_teardown)

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_0_1_0_is_read_and_written_alike),
        cmocka_unit_test(f32_is_written_as_before_there_were_types),
        cmocka_unit_test(how_fast_the_host_is_is_kept),
        cmocka_unit_test(names_that_are_no_utf8_are_the_same_device),

        cmocka_unit_test(a_file_of_tomorrow_is_read),
        IN_PLACES(rows_of_tomorrow_are_no_faults),
        cmocka_unit_test(rows_are_good_or_of_another_version_or_bad),
        cmocka_unit_test(tunables_are_read_by_their_former_names),
        IN_PLACES(rows_of_tomorrow_are_kept),
    };
    const int file = mkstemp(log_path); /* the log is opened once */
    if (file < 0)
        return EXIT_FAILURE;
    close(file);
    setenv("CLGEMM_VERBOSE", "1", 1);
    setenv("CLGEMM_LOGFILE", log_path, 1);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(log_path);
    return failed;
}
