/* SPDX-License-Identifier: Apache-2.0
 * Reading the text of a tuning file. */
#include "gemm/tuning_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "gemm/family.h"
#include "gemm/tuning_scan.h"

enum { MOST_LENGTH = 1 << 30, MOST_VALUE = 1 << 28, FAMILY_NAME = 16 };

/* ---- Devices ---- */

struct clg_tuning_device clg_tuning_device_of(const struct clg_facts *facts) {
    struct clg_tuning_device device = {.compute_units = facts->compute_units};
    memcpy(device.name, facts->name, sizeof device.name);
    memcpy(device.vendor, facts->vendor, sizeof device.vendor);
    memcpy(device.platform, facts->platform, sizeof device.platform);
    memcpy(device.driver, facts->driver, sizeof device.driver);
    return device;
}

bool clg_tuning_same_device(const struct clg_tuning_device *left,
                            const struct clg_tuning_device *right) {
    return strcmp(left->name, right->name) == 0 && strcmp(left->platform, right->platform) == 0 &&
           left->compute_units == right->compute_units;
}

static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_';
}

void clg_tuning_file_name(const struct clg_tuning_device *device, char out[CLG_TUNING_FILE_NAME]) {
    enum { READABLE = 40, DIGITS = 8 };
    char key[3 * CLG_FACT_TEXT + 16], digits[CLG_HASH_TEXT];
    const int length = snprintf(key, sizeof key, "%s\n%s\n%s\n%u", device->name, device->platform,
                                device->driver, device->compute_units);
    const struct clg_hash hash = clg_hash_of(key, (size_t)length, NULL, 0);
    size_t used = 0;
    clg_hash_text(&hash, digits);
    for (const char *c = device->name; *c && used < READABLE; c++)
        if (is_plain(*c) && (used > 0 || *c != '.')) /* a dot first would hide the file */
            out[used++] = *c;
        else if (used > 0 && out[used - 1] != '-')
            out[used++] = '-';
    snprintf(out + used, CLG_TUNING_FILE_NAME - used, "%s%.*s.json",
             used > 0 && out[used - 1] != '-' ? "-" : "", DIGITS, digits);
}

/* ---- Members ---- */

#define DEVICE_TEXT(field)                                               \
    static bool read_device_##field(struct clg_scan *scan, void *out) {  \
        struct clg_tuning_device *device = out;                          \
        return clg_scan_text(scan, device->field, sizeof device->field); \
    }
DEVICE_TEXT(name)
DEVICE_TEXT(vendor)
DEVICE_TEXT(platform)
DEVICE_TEXT(driver)
#undef DEVICE_TEXT

static bool read_device_units(struct clg_scan *scan, void *out) {
    int64_t units;
    const bool good = clg_scan_integer(scan, 0, UINT32_MAX, &units);
    if (good)
        ((struct clg_tuning_device *)out)->compute_units = (uint32_t)units;
    return good;
}

#define ROW_LENGTH(field)                                                      \
    static bool read_##field(struct clg_scan *scan, void *out) {               \
        return clg_scan_integer(scan, 1, MOST_LENGTH,                          \
                                &((struct clg_tuning_row *)out)->shape.field); \
    }
ROW_LENGTH(m)
ROW_LENGTH(n)
ROW_LENGTH(k)
#undef ROW_LENGTH

#define ROW_FLAG(field)                                                           \
    static bool read_##field(struct clg_scan *scan, void *out) {                  \
        return clg_scan_flag(scan, &((struct clg_tuning_row *)out)->shape.field); \
    }
ROW_FLAG(ta)
ROW_FLAG(tb)
ROW_FLAG(aligned)
#undef ROW_FLAG

static bool read_family(struct clg_scan *scan, void *out) {
    char name[FAMILY_NAME];
    if (!clg_scan_text(scan, name, sizeof name))
        return false;
    const struct clg_family *family = clg_family_find(name);
    ((struct clg_tuning_row *)out)->family = family;
    return family || clg_scan_fail(scan, "no family is called \"%s\"", name);
}

/* Tunables that are not named are 0. */
static bool read_params(struct clg_scan *scan, void *out) {
    struct clg_params *params = &((struct clg_tuning_row *)out)->params;
    if (!clg_scan_mark(scan, '{'))
        return false;
    do {
        char name[FAMILY_NAME];
        int64_t value;
        if (!clg_scan_text(scan, name, sizeof name) || !clg_scan_mark(scan, ':'))
            return false;
        const struct clg_tunable *tunable = clg_tunable_find(name);
        if (!tunable)
            return clg_scan_fail(scan, "no tunable is called \"%s\"", name);
        if (clg_params_get(params, tunable))
            return clg_scan_fail(scan, "\"%s\" is there twice", name);
        if (!clg_scan_integer(scan, 1, MOST_VALUE, &value))
            return false;
        clg_params_set(params, tunable, (int)value);
    } while (clg_scan_has(scan, ','));
    return clg_scan_mark(scan, '}');
}

static bool read_ms(struct clg_scan *scan, void *out) {
    return clg_scan_decimal(scan, &((struct clg_tuning_row *)out)->ms);
}

static bool read_date(struct clg_scan *scan, void *out) {
    static const char form[] = "0000-00-00";
    char *date = ((struct clg_tuning_row *)out)->date;
    if (!clg_scan_text(scan, date, CLG_TUNING_DATE))
        return false;
    for (size_t i = 0; form[i]; i++)
        if (form[i] == '-' ? date[i] != '-' : date[i] < '0' || date[i] > '9')
            return clg_scan_fail(scan, "\"%s\" is no date as 2026-01-31", date);
    return true;
}

static bool read_version(struct clg_scan *scan, void *out) {
    return clg_scan_text(scan, ((struct clg_tuning_row *)out)->version, CLG_TUNING_VERSION);
}

/* ---- Lines ---- */

static bool read_head(struct clg_scan *scan, struct clg_tuning_device *device) {
    static const struct clg_member members[] = {{"name", read_device_name},
                                                {"vendor", read_device_vendor},
                                                {"platform", read_device_platform},
                                                {"driver", read_device_driver},
                                                {"compute_units", read_device_units}};
    char text[64];
    if (!clg_scan_mark(scan, '{') || !clg_scan_text(scan, text, sizeof text) ||
        strcmp(text, "schema") != 0 || !clg_scan_mark(scan, ':') ||
        !clg_scan_text(scan, text, sizeof text))
        return clg_scan_fail(scan, "this is no tuning file: \"schema\" does not come first");
    if (strcmp(text, CLG_TUNING_SCHEMA) != 0)
        return clg_scan_fail(scan, "its schema is \"%s\"; this version reads " CLG_TUNING_SCHEMA,
                             text);
    if (!clg_scan_mark(scan, ',') || !clg_scan_text(scan, text, sizeof text) ||
        strcmp(text, "device") != 0 || !clg_scan_mark(scan, ':'))
        return clg_scan_fail(scan, "\"device\" does not follow the schema");
    if (!clg_scan_object(scan, members, sizeof members / sizeof *members, device))
        return false;
    if (!clg_scan_mark(scan, ',') || !clg_scan_text(scan, text, sizeof text) ||
        strcmp(text, "rows") != 0 || !clg_scan_mark(scan, ':') || !clg_scan_mark(scan, '['))
        return clg_scan_fail(scan, "\"rows\": [ does not follow the device");
    return clg_scan_at_end(scan) || clg_scan_fail(scan, "something follows \"rows\": [");
}

static bool read_row(struct clg_scan *scan, struct clg_tuning_row *row) {
    static const struct clg_member members[] = {{"m", read_m},
                                                {"n", read_n},
                                                {"k", read_k},
                                                {"ta", read_ta},
                                                {"tb", read_tb},
                                                {"aligned", read_aligned},
                                                {"family", read_family},
                                                {"params", read_params},
                                                {"ms", read_ms},
                                                {"date", read_date},
                                                {"version", read_version}};
    *row = (struct clg_tuning_row){0};
    if (!clg_scan_object(scan, members, sizeof members / sizeof *members, row))
        return false;
    clg_scan_has(scan, ',');
    return clg_scan_at_end(scan) || clg_scan_fail(scan, "something follows the row");
}

/* ---- Files ---- */

void clg_tuning_file_fault(struct clg_tuning_file *file, const char *name, int line,
                           const char *why) {
    char text[CLG_TUNING_WHY];
    if (line > 0)
        snprintf(text, sizeof text, "%.250s:%d: %s", name, line, why);
    else
        snprintf(text, sizeof text, "%.250s %s", name, why);
    clg_log(CLG_LOG_CALLS, "tuning: %s", text);
    if (file->faults++ == 0)
        memcpy(file->why, text, sizeof file->why);
}

static bool add_row(struct clg_tuning_file *file, const struct clg_tuning_row *row, int line) {
    if ((file->count & (file->count - 1)) == 0) { /* full: it grows by powers of two */
        const size_t room = file->count ? 2 * file->count : 1;
        struct clg_tuning_row *rows = realloc(file->rows, room * sizeof *rows);
        file->rows = rows ? rows : file->rows;
        int *lines = rows ? realloc(file->lines, room * sizeof *lines) : NULL;
        file->lines = lines ? lines : file->lines;
        if (!lines)
            return false;
    }
    file->lines[file->count] = line;
    file->rows[file->count++] = *row;
    return true;
}

/* One line after the head. False where memory is out. */
static bool read_line(struct clg_tuning_file *file, const char *name, int line,
                      struct clg_scan *scan, bool *closed) {
    struct clg_tuning_row row;
    if (clg_scan_at_end(scan))
        return true;
    if (*closed) {
        clg_tuning_file_fault(file, name, line, "something follows the end ]}");
        return true;
    }
    if (clg_scan_has(scan, ']')) {
        *closed = clg_scan_mark(scan, '}') && clg_scan_at_end(scan);
        if (!*closed)
            clg_tuning_file_fault(file, name, line, "the end is not ]}");
        return true;
    }
    if (read_row(scan, &row))
        return add_row(file, &row, line);
    clg_tuning_file_fault(file, name, line, scan->why);
    return true;
}

bool clg_tuning_file_parse(struct clg_tuning_file *out, const char *name, const char *text,
                           size_t size, const struct clg_tuning_device *only) {
    *out = (struct clg_tuning_file){0};
    const char *end = text + size;
    bool closed = false, good = true;
    int line = 0;
    while (text < end && good) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        struct clg_scan scan = clg_scan_start(text, (size_t)((newline ? newline : end) - text));
        text = newline ? newline + 1 : end;
        if (++line > 1) {
            good = read_line(out, name, line, &scan, &closed);
        } else if (!read_head(&scan, &out->device)) {
            clg_tuning_file_fault(out, name, line, scan.why);
            return false;
        } else if (only && !clg_tuning_same_device(&out->device, only)) {
            return true;
        }
    }
    if (good && !closed)
        clg_tuning_file_fault(out, name, line, "the file ends before its ]}");
    if (!good)
        clg_tuning_file_fault(out, name, line, "memory is out");
    return good;
}

void clg_tuning_file_release(struct clg_tuning_file *file) {
    free(file->rows);
    free(file->lines);
    *file = (struct clg_tuning_file){0};
}
