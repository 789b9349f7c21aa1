/* SPDX-License-Identifier: Apache-2.0
 * Keys and the bytes of a cache entry, and of a finding: only the exact bytes that were written are
 * accepted. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/version.h"
#include "program/entry.h"
#include "program/finding.h"
#include "program/key.h"
#include "support/check.h"
#include "support/matrix.h"

/* As entry.h draws it. */
enum { FORMAT_AT = 8, KEY_SIZE_AT = 12, PROGRAM_SIZE_AT = 16, KEY_AT = 24 };

static const char key[] = "library: 1\ndevice: some\n";
static const unsigned char program[] = "bytes that a driver would take";

/* A whole entry. Free it. */
static unsigned char *make_entry(size_t *size) {
    const struct clg_entry entry = {
        .key = key, .key_size = strlen(key), .program = program, .program_size = sizeof program};
    size_t head_size = 0;
    unsigned char *head = clg_entry_head(&entry, &head_size);
    assert_non_null(head);
    assert_int_equal(head_size, KEY_AT + strlen(key) + CLG_HASH_BYTES);
    unsigned char *bytes = clg_test_alloc(head_size + sizeof program);
    memcpy(bytes, head, head_size);
    memcpy(bytes + head_size, program, sizeof program);
    free(head);
    *size = head_size + sizeof program;
    return bytes;
}

/* What clg_entry_parse returns, with the bytes in memory of exactly that size, so that
 * AddressSanitizer detects a read past it. */
static const char *judge(const unsigned char *bytes, size_t size) {
    struct clg_entry out = {NULL, 0, NULL, 0};
    unsigned char *copy = clg_test_alloc(size);
    memcpy(copy, bytes, size);
    const char *why = clg_entry_parse(&out, copy, size);
    free(copy);
    return why;
}

/* Makes the checksum valid again. */
static void sign(unsigned char *bytes, size_t size, size_t key_size) {
    unsigned char *checksum = bytes + KEY_AT + key_size;
    const unsigned char *rest = checksum + CLG_HASH_BYTES;
    const struct clg_hash hash =
        clg_hash_of(bytes, KEY_AT + key_size, rest, size - (size_t)(rest - bytes));
    memcpy(checksum, hash.bytes, CLG_HASH_BYTES);
}

static void written_is_parsed(void **state) {
    (void)state;
    size_t size = 0;
    struct clg_entry out = {NULL, 0, NULL, 0};
    unsigned char *bytes = make_entry(&size);
    assert_null(clg_entry_parse(&out, bytes, size));
    assert_int_equal(out.key_size, strlen(key));
    assert_memory_equal(out.key, key, out.key_size);
    assert_int_equal(out.program_size, sizeof program);
    assert_memory_equal(out.program, program, out.program_size);
    assert_ptr_equal(out.program + out.program_size, bytes + size);
    free(bytes);
}

/* The layout is that of files on disk: it may change only with CLG_ENTRY_FORMAT. */
static void layout_is_fixed(void **state) {
    (void)state;
    static const unsigned char start[] = {'c', 'l', 'g', 'e', 'm', 'm', '\r', '\n', 1, 0, 0, 0,
                                          24,  0,   0,   0,   31,  0,   0,    0,    0, 0, 0, 0};
    static const unsigned char checksum[] = {0xd5, 0x89, 0xe5, 0x32, 0xd2, 0x78, 0xb4, 0x5b,
                                             0x2d, 0x78, 0xc3, 0x2a, 0x91, 0xbd, 0xd7, 0x43};
    size_t size = 0;
    unsigned char *bytes = make_entry(&size);
    assert_memory_equal(bytes, start, sizeof start);
    assert_memory_equal(bytes + KEY_AT + strlen(key), checksum, sizeof checksum);
    free(bytes);
}

static void every_flipped_bit_is_refused(void **state) {
    (void)state;
    size_t size = 0;
    unsigned char *bytes = make_entry(&size);
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] ^= (unsigned char)(1 << bit);
            assert_non_null(judge(bytes, size));
            bytes[i] ^= (unsigned char)(1 << bit);
        }
    assert_null(judge(bytes, size));
    free(bytes);
}

static void every_other_byte_is_refused(void **state) {
    (void)state;
    size_t size = 0;
    unsigned char *bytes = make_entry(&size);
    for (size_t i = 0; i < size; i++)
        for (int other = 1; other < 256; other++) {
            bytes[i] = (unsigned char)(bytes[i] + 1);
            assert_non_null(judge(bytes, size));
            if (other == 255)
                bytes[i] = (unsigned char)(bytes[i] + 1);
        }
    assert_null(judge(bytes, size));
    free(bytes);
}

static void every_other_size_is_refused(void **state) {
    (void)state;
    size_t size = 0;
    unsigned char *bytes = make_entry(&size);
    unsigned char *longer = clg_test_alloc(3 * size);
    for (size_t shorter = 0; shorter < size; shorter++)
        assert_non_null(judge(bytes, shorter));
    memcpy(longer, bytes, size);
    for (int extra = 0; extra < 256; extra++) {
        longer[size] = (unsigned char)extra;
        assert_non_null(judge(longer, size + 1));
    }
    memcpy(longer + size, bytes, size); /* two entries in one */
    assert_non_null(judge(longer, 2 * size));
    assert_null(judge(longer, size));
    free(longer);
    free(bytes);
}

/* False sizes, with a valid checksum if one can be made. */
static void lying_sizes_are_refused(void **state) {
    (void)state;
    size_t size = 0;
    unsigned char *bytes = make_entry(&size), *good = clg_test_alloc(size);
    memcpy(good, bytes, size);
    for (int at = KEY_SIZE_AT; at < KEY_AT; at++) {
        bytes[at] = 0xff;
        assert_non_null(judge(bytes, size));
        sign(bytes, size, strlen(key));
        assert_non_null(judge(bytes, size));
        memcpy(bytes, good, size);
    }
    memset(bytes + KEY_SIZE_AT, 0xff, KEY_AT - KEY_SIZE_AT);
    assert_non_null(judge(bytes, size));
    /* An empty key, whose bytes now belong to the program. */
    memcpy(bytes, good, size);
    bytes[KEY_SIZE_AT] = 0;
    bytes[PROGRAM_SIZE_AT] = (unsigned char)(size - KEY_AT - CLG_HASH_BYTES);
    sign(bytes, size, 0);
    assert_non_null(judge(bytes, size));
    free(good);
    free(bytes);
}

static void another_format_is_refused(void **state) {
    (void)state;
    static const unsigned char versions[][4] = {
        {CLG_ENTRY_FORMAT - 1}, {CLG_ENTRY_FORMAT + 1}, {CLG_ENTRY_FORMAT, 0, 0, 1}};
    size_t size = 0;
    unsigned char *bytes = make_entry(&size);
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        memcpy(bytes + FORMAT_AT, versions[i], 4);
        sign(bytes, size, strlen(key));
        assert_string_equal(judge(bytes, size), "has another format version");
    }
    memcpy(bytes + FORMAT_AT, (unsigned char[4]){CLG_ENTRY_FORMAT}, 4);
    sign(bytes, size, strlen(key));
    assert_null(judge(bytes, size)); /* so it was the version */
    free(bytes);
}

static void keys_of_odd_sizes(void **state) {
    (void)state;
    enum { TOO_LONG = (1 << 16) + 1 };
    size_t size = 0;
    char *longest = clg_test_alloc(TOO_LONG);
    memset(longest, 'k', TOO_LONG);
    struct clg_entry entry = {.key = longest, .key_size = 0, .program = program};
    assert_null(clg_entry_head(&entry, &size));
    entry.key_size = TOO_LONG;
    assert_null(clg_entry_head(&entry, &size));
    entry.key_size = TOO_LONG - 1;
    unsigned char *head = clg_entry_head(&entry, &size); /* of an empty program: all there is */
    assert_non_null(head);
    assert_null(judge(head, size));
    free(head);
    free(longest);
}

/* ---- Keys ---- */

static char *key_of(const struct clg_facts *facts, const char *name, const char *text,
                    const char *options) {
    const struct clg_source source = {.name = name, .text = text, .length = strlen(text)};
    char *made = clg_key_make(facts, &source, options, NULL);
    assert_non_null(made);
    return made;
}

/* Whatever a program depends on changes its key. */
static void all_is_in_the_key(void **state) {
    (void)state;
    enum { DEVICES = 6, KEYS = DEVICES + 3 };
    struct clg_facts facts[DEVICES];
    for (int i = 0; i < DEVICES; i++) {
        struct clg_facts *f = &facts[i];
        char *const texts[] = {f->name, f->version, f->driver, f->platform, f->platform_version};
        memset(f, 0, sizeof *f);
        for (int j = 0; j < DEVICES - 1; j++)
            snprintf(texts[j], CLG_FACT_TEXT, i == j + 1 ? "other" : "text %d", j);
    }
    char *keys[KEYS];
    for (int i = 0; i < DEVICES; i++)
        keys[i] = key_of(&facts[i], "kernel", "text", "-DX=1");
    keys[DEVICES] = key_of(&facts[0], "other", "text", "-DX=1");
    keys[DEVICES + 1] = key_of(&facts[0], "kernel", "texT", "-DX=1");
    keys[DEVICES + 2] = key_of(&facts[0], "kernel", "text", "-DX=2");
    char *again = key_of(&facts[0], "kernel", "text", "-DX=1");
    assert_string_equal(keys[0], again);
    free(again);
    for (int i = 0; i < KEYS; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(keys[i], keys[j]);
    for (int i = 0; i < KEYS; i++)
        free(keys[i]);
}

/* A value cannot be mistaken for two lines, nor two lines for one value. */
static void key_is_made_of_lines(void **state) {
    (void)state;
    char field[64];
    struct clg_facts facts;
    memset(&facts, 0, sizeof facts);
    snprintf(facts.name, sizeof facts.name, "one\ndriver: forged\n");
    snprintf(facts.driver, sizeof facts.driver, "true");
    char *made = key_of(&facts, "kernel", "text", "-DX=1");
    clg_key_field(made, "driver", field, sizeof field);
    assert_string_equal(field, "true");
    clg_key_field(made, "device", field, sizeof field);
    assert_string_equal(field, "one driver: forged ");
    clg_key_field(made, "device version", field, sizeof field);
    assert_string_equal(field, "");
    clg_key_field(made, "library", field, sizeof field);
    assert_string_equal(field, CLG_VERSION);
    clg_key_field(made, "options", field, 4);
    assert_string_equal(field, "-DX");
    clg_key_field(made, "option", field, sizeof field);
    assert_string_equal(field, "");
    assert_int_equal(made[strlen(made) - 1], '\n');
    free(made);
}

/* ---- The hash ---- */

static void hash_is_xxh3(void **state) {
    (void)state;
    char one[CLG_HASH_TEXT], two[CLG_HASH_TEXT];
    struct clg_hash hash = clg_hash_of("", 0, NULL, 0);
    clg_hash_text(&hash, one);
    assert_string_equal(one, "99aa06d3014798d86001c324468d497f"); /* as xxHash documents */
    hash = clg_hash_of(key, sizeof key, NULL, 0);
    clg_hash_text(&hash, one);
    for (size_t first = 0; first <= sizeof key; first++) { /* split anywhere */
        hash = clg_hash_of(key, first, key + first, sizeof key - first);
        clg_hash_text(&hash, two);
        assert_string_equal(one, two);
    }
}

/* ---- Findings ---- */

static void findings_are_found_as_kept(void **state) {
    static const uint64_t bytes[] = {0, 1, 1088, UINT64_MAX};
    struct clg_binaries *store = clg_binaries_new();
    (void)state;
    setenv("CLGEMM_CACHE", "0", 1);
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        for (int finding = CLG_FINDING_RIGHT; finding <= CLG_FINDING_WRONG; finding++) {
            uint64_t spills = 7;
            clg_finding_keep(store, key, (enum clg_finding)finding, bytes[i]);
            assert_int_equal(clg_finding_find(store, key, &spills), finding);
            assert_true(spills == bytes[i]);
            assert_int_equal(clg_finding_find(store, "other", &spills), CLG_FINDING_NONE);
            assert_int_equal(spills, 0);
        }
    clg_binaries_free(store);
}

/* An entry is read only if it is written so. */
static void assert_read_or_refused(const char *text, size_t size) {
    char same[64];
    uint64_t spills = 7;
    unsigned char *exact = clg_test_alloc(size + 1);
    memcpy(exact, text, size);
    exact = realloc(exact, size ? size : 1);
    const enum clg_finding finding = clg_finding_read(exact, size, &spills);
    if (spills)
        snprintf(same, sizeof same, "%s spills %llu", clg_finding_words[finding],
                 (unsigned long long)spills);
    else
        snprintf(same, sizeof same, "%s", clg_finding_words[finding]);
    assert_true(finding ? strlen(same) == size && !memcmp(same, exact, size) : spills == 0);
    free(exact);
}

static void damaged_findings_are_refused(void **state) {
    static const char good[] = "right spills 1088";
    char text[128];
    (void)state;
    for (size_t size = 0; size < sizeof good; size++)
        assert_read_or_refused(good, size);
    for (size_t at = 0; at < sizeof good - 1; at++)
        for (int byte = 0; byte < 256; byte++) {
            memcpy(text, good, sizeof good);
            text[at] = (char)byte;
            assert_read_or_refused(text, sizeof good - 1);
        }
    memset(text, '1', sizeof text);
    memcpy(text, good, sizeof good - 1);
    for (size_t size = sizeof good - 1; size < sizeof text; size++)
        assert_read_or_refused(text, size);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_is_parsed),
        cmocka_unit_test(layout_is_fixed),
        cmocka_unit_test(every_flipped_bit_is_refused),
        cmocka_unit_test(every_other_byte_is_refused),
        cmocka_unit_test(every_other_size_is_refused),
        cmocka_unit_test(lying_sizes_are_refused),
        cmocka_unit_test(another_format_is_refused),
        cmocka_unit_test(keys_of_odd_sizes),
        cmocka_unit_test(all_is_in_the_key),
        cmocka_unit_test(key_is_made_of_lines),
        cmocka_unit_test(hash_is_xxh3),
        cmocka_unit_test(findings_are_found_as_kept),
        cmocka_unit_test(damaged_findings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
