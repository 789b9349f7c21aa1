/* SPDX-License-Identifier: Apache-2.0
 * Reads and writes the members of objects by their tables. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tuning/fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "gemm/family.h"
#include "tuning/table.h"

enum { LONGEST_TEXT = 256, DIGITS = 5, MS_DECIMALS = 6, MOST_VALUE = 1 << 28 };

#define TUNABLE(option, field, meaning) \
    {CLG_FIELD(clg_params, field, #option, WHOLE, true), .least = 1, .most = MOST_VALUE},
static const struct clg_field tunables[] = {CLG_TUNABLES(TUNABLE)};
#undef TUNABLE
static const struct clg_fields params_fields = CLG_FIELDS(tunables);

static void *at(const struct clg_field *field, const void *object) {
    return (char *)object + field->offset;
}

/* ---- Words ---- */

/* Word `i` of a vocabulary, perhaps in `text`; NULL after the last. */
static const char *word_of(const struct clg_field *field, int i, char text[CLG_TYPE_WORD]) {
    switch (field->kind) {
    case CLG_FIELD_WORD:
        return field->words[i];
    case CLG_FIELD_MATH: /* "default" is none */
        return clg_math_word((clgemm_math)(CLGEMM_MATH_STRICT + i));
    case CLG_FIELD_FAMILY:
        return clg_families[i] ? clg_families[i]->name : NULL;
    default:
        return i < CLG_TYPE_COUNT ? clg_type_word(text, (clgemm_type)i) : NULL;
    }
}

struct reading {
    void *object;
    char *unserved; /* CLG_UNSERVED characters; NULL: there must not be any */
};

/* Notes a word of another version. */
static bool note(struct clg_json_scan *scan, const struct reading *r, const char *what,
                 const char *word) {
    if (!r->unserved)
        return clg_json_scan_fail(scan, "its %s is \"%s\"", what, word);
    if (!*r->unserved)
        snprintf(r->unserved, CLG_UNSERVED, "its %s is \"%s\"", what, word);
    return true;
}

/* Its index in the vocabulary; -1 if it is none of them. */
static bool read_word(struct clg_json_scan *scan, const struct clg_field *field,
                      const struct reading *r, int *out) {
    char name[32], text[CLG_TYPE_WORD];
    const char *word;
    if (!clg_json_scan_text(scan, name, sizeof name))
        return false;
    for (*out = 0; (word = word_of(field, *out, text)); ++*out)
        if (strcmp(name, word) == 0)
            return true;
    *out = -1;
    return note(scan, r, field->member.name, name);
}

static bool read_types(struct clg_json_scan *scan, const struct clg_field *field,
                       const struct reading *r, unsigned *out) {
    int type;
    *out = 0;
    do {
        if (!clg_json_scan_mark(scan, *out ? ',' : '[') || !read_word(scan, field, r, &type))
            return false;
        *out |= type < 0 ? 0 : 1U << type;
    } while (clg_json_scan_next(scan) == ',');
    return clg_json_scan_mark(scan, ']');
}

/* ---- Reading ---- */

static bool read_text(struct clg_json_scan *scan, char *out, size_t size) {
    char text[LONGEST_TEXT];
    if (!clg_json_scan_text(scan, text, size < sizeof text ? size : sizeof text))
        return false;
    clg_utf8_copy(out, size, text);
    return true;
}

static bool read_whole(struct clg_json_scan *scan, const struct clg_field *field, void *out) {
    int64_t value;
    if (!clg_json_scan_integer(scan, field->least, field->most, &value))
        return false;
    if (field->size == sizeof value)
        *(int64_t *)out = value;
    else
        *(uint32_t *)out = (uint32_t)value;
    return true;
}

static bool read_number(struct clg_json_scan *scan, double *out) {
    return clg_json_scan_number(scan, out) &&
           (*out >= 0 || clg_json_scan_fail(scan, "a number is negative"));
}

static bool read_ms(struct clg_json_scan *scan, double *out) {
    static const double most = 1e9;
    return clg_json_scan_number(scan, out) &&
           ((*out > 0 && *out <= most) ||
            clg_json_scan_fail(scan, "a number is not above zero, or larger than %g", most));
}

static bool read_floats(struct clg_json_scan *scan, const struct clg_field *field, float *out) {
    const size_t count = field->size / sizeof *out;
    double value;
    for (size_t i = 0; i < count; i++) {
        if ((count > 1 && !clg_json_scan_mark(scan, i ? ',' : '[')) || !read_number(scan, &value))
            return false;
        out[i] = (float)value;
    }
    return count == 1 || clg_json_scan_mark(scan, ']');
}

/* The effect of an unknown tunable is not known, so what has one belongs to another version. */
static bool read_params(struct clg_json_scan *scan, const struct reading *r, void *out) {
    struct clg_json_scan inner = *scan;
    inner.unknown = 0;
    const bool good = clg_fields_read(&inner, &params_fields, out, NULL);
    scan->at = inner.at;
    memcpy(scan->why, inner.why, sizeof scan->why);
    return good && (!inner.unknown || note(scan, r, "tunable", inner.unknown_name));
}

static bool read_field(struct clg_json_scan *scan, const struct clg_json_member *member,
                       void *reading) {
    const struct clg_field *field = (const struct clg_field *)(const void *)member;
    const struct reading *r = reading;
    void *out = at(field, r->object);
    int word;
    switch (field->kind) {
    case CLG_FIELD_TEXT:
        return read_text(scan, out, field->size);
    case CLG_FIELD_DATE:
        return clg_json_scan_date(scan, out);
    case CLG_FIELD_WHOLE:
        return read_whole(scan, field, out);
    case CLG_FIELD_FLAG:
        return clg_json_scan_flag(scan, out);
    case CLG_FIELD_FLOATS:
        return read_floats(scan, field, out);
    case CLG_FIELD_NUMBER:
        return read_number(scan, out);
    case CLG_FIELD_MS:
        return read_ms(scan, out);
    case CLG_FIELD_TYPES:
        return read_types(scan, field, r, out);
    case CLG_FIELD_PARAMS:
        return read_params(scan, r, out);
    case CLG_FIELD_OBJECT:
        return clg_fields_read(scan, field->fields, out, r->unserved);
    default:
        break;
    }
    if (!read_word(scan, field, r, &word))
        return false;
    if (field->kind == CLG_FIELD_FAMILY)
        *(const struct clg_family **)out = word < 0 ? NULL : clg_families[word];
    else if (field->kind == CLG_FIELD_MATH)
        *(clgemm_math *)out = clg_tuning_math((clgemm_math)(CLGEMM_MATH_STRICT + word));
    else
        *(int *)out = word;
    return true;
}

bool clg_fields_read(struct clg_json_scan *scan, const struct clg_fields *fields, void *object,
                     char unserved[CLG_UNSERVED]) {
    struct reading reading = {object, unserved};
    return clg_json_scan_mark(scan, '{') &&
           clg_json_scan_members(scan, fields->at, sizeof *fields->at, fields->count, NULL,
                                 read_field, &reading);
}

bool clg_fields_read_line(struct clg_json_scan *scan, const struct clg_fields *fields, void *object,
                          char unserved[CLG_UNSERVED]) {
    if (!clg_fields_read(scan, fields, object, unserved))
        return false;
    clg_json_scan_has(scan, ',');
    return clg_json_scan_at_end(scan) || clg_json_scan_fail(scan, "something follows the row");
}

bool clg_fields_read_head(struct clg_json_scan *scan, const char *schema,
                          const struct clg_fields *fields, void *object) {
    struct reading reading = {object, NULL};
    char text[64];
    if (!clg_json_scan_mark(scan, '{') || !clg_json_scan_name(scan, text, sizeof text) ||
        strcmp(text, "schema") != 0 || !clg_json_scan_text(scan, text, sizeof text))
        return clg_json_scan_fail(scan,
                                  "this is no tuning file: its first member is not \"schema\"");
    if (strcmp(text, schema) != 0)
        return clg_json_scan_fail(scan, "its schema is \"%s\"; this version reads %s", text,
                                  schema);
    return clg_json_scan_mark(scan, ',') &&
           clg_json_scan_members(scan, fields->at, sizeof *fields->at, fields->count, "rows",
                                 read_field, &reading) &&
           clg_json_scan_mark(scan, '[') &&
           (clg_json_scan_at_end(scan) ||
            clg_json_scan_fail(scan, "something follows \"rows\": ["));
}

/* ---- Writing ---- */

static int64_t whole(const struct clg_field *field, const void *from) {
    return field->size == sizeof(int64_t) ? *(const int64_t *)from : *(const uint32_t *)from;
}

/* Whether the field has the value that readers take if it is left out. */
static bool is_absent(const struct clg_field *field, const void *from) {
    switch (field->kind) {
    case CLG_FIELD_WHOLE:
        return whole(field, from) == field->absent;
    case CLG_FIELD_FLAG:
        return !*(const bool *)from;
    case CLG_FIELD_FLOATS:
        return !(*(const float *)from > 0);
    case CLG_FIELD_NUMBER:
        return !(*(const double *)from > 0);
    case CLG_FIELD_TYPES:
        return *(const unsigned *)from == ~0U;
    case CLG_FIELD_WORD:
    case CLG_FIELD_TYPE:
    case CLG_FIELD_MATH:
        return *(const int *)from == 0;
    case CLG_FIELD_OBJECT:
        return is_absent(field->fields->at, at(field->fields->at, from));
    default:
        return false;
    }
}

static void write_floats(struct clg_json *json, const struct clg_field *field, const float *from) {
    const size_t count = field->size / sizeof *from;
    const char *name = field->member.name;
    if (count > 1)
        clg_json_open(json, name, '[');
    for (size_t i = 0; i < count; i++)
        clg_json_digits(json, count > 1 ? NULL : name, from[i], DIGITS);
    if (count > 1)
        clg_json_close(json, ']');
}

static void write_types(struct clg_json *json, const char *name, unsigned types) {
    char word[CLG_TYPE_WORD];
    clg_json_open(json, name, '[');
    for (int type = 0; type < CLG_TYPE_COUNT; type++)
        if (types >> type & 1)
            clg_json_text(json, NULL, clg_type_word(word, (clgemm_type)type));
    clg_json_close(json, ']');
}

static void write_field(struct clg_json *json, const struct clg_field *field, const void *from) {
    const char *name = field->member.name;
    char word[CLG_TYPE_WORD];
    switch (field->kind) {
    case CLG_FIELD_TEXT:
    case CLG_FIELD_DATE:
        clg_json_text(json, name, from);
        return;
    case CLG_FIELD_WHOLE:
        clg_json_count(json, name, (uint64_t)whole(field, from));
        return;
    case CLG_FIELD_FLAG:
        clg_json_bool(json, name, *(const bool *)from);
        return;
    case CLG_FIELD_FLOATS:
        write_floats(json, field, from);
        return;
    case CLG_FIELD_NUMBER:
        clg_json_digits(json, name, *(const double *)from, DIGITS);
        return;
    case CLG_FIELD_MS: /* 0 is not valid */
        clg_json_decimals(json, name, fmax(*(const double *)from, 1e-6), MS_DECIMALS);
        return;
    case CLG_FIELD_TYPES:
        write_types(json, name, *(const unsigned *)from);
        return;
    case CLG_FIELD_FAMILY:
        clg_json_text(json, name, (*(const struct clg_family *const *)from)->name);
        return;
    case CLG_FIELD_PARAMS:
        clg_fields_write(json, name, &params_fields, from);
        return;
    case CLG_FIELD_OBJECT:
        clg_fields_write(json, name, field->fields, from);
        return;
    default:
        clg_json_text(json, name,
                      word_of(field, *(const int *)from - (field->kind == CLG_FIELD_MATH), word));
    }
}

static void write_members(struct clg_json *json, const struct clg_fields *fields,
                          const void *object) {
    for (size_t i = 0; i < fields->count; i++) {
        const struct clg_field *field = &fields->at[i];
        if (field->member.optional && is_absent(field, at(field, object)))
            continue;
        if (field->begins_line)
            clg_json_line(json, 0);
        write_field(json, field, at(field, object));
    }
}

void clg_fields_write(struct clg_json *json, const char *key, const struct clg_fields *fields,
                      const void *object) {
    clg_json_open(json, key, '{');
    write_members(json, fields, object);
    clg_json_close(json, '}');
}

char *clg_fields_format(const char *schema, const struct clg_fields *fields, const void *object,
                        void (*write_rows)(struct clg_json *json, const void *object),
                        size_t *size) {
    char *text = NULL;
    struct clg_json json = {.out = open_memstream(&text, size), .flat = true};
    if (!json.out)
        return NULL;
    clg_json_open(&json, NULL, '{');
    clg_json_text(&json, "schema", schema);
    write_members(&json, fields, object);
    clg_json_open(&json, "rows", '[');
    write_rows(&json, object);
    clg_json_line(&json, 0);
    clg_json_close(&json, ']');
    clg_json_close(&json, '}');
    if (fclose(json.out) == 0 && !json.failed)
        return text;
    free(text);
    return NULL;
}
