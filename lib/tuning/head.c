/* SPDX-License-Identifier: Apache-2.0
 * The first line of a tuning file: its device, break-evens and host speeds. */
#include "tuning/head.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/hash.h"

_Static_assert((int)CLG_JSON_SCAN_DATE == (int)CLG_TUNING_DATE, "dates must fit their members");

/* ---- Devices ---- */

struct clg_tuning_device clg_tuning_device_of(const struct clg_facts *facts) {
    struct clg_tuning_device device = {.compute_units = facts->compute_units};
    clg_utf8_copy(device.name, sizeof device.name, facts->name);
    clg_utf8_copy(device.vendor, sizeof device.vendor, facts->vendor);
    clg_utf8_copy(device.platform, sizeof device.platform, facts->platform);
    clg_utf8_copy(device.driver, sizeof device.driver, facts->driver);
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
        if (is_plain(*c) && (used > 0 || *c != '.')) /* a leading dot would hide the file */
            out[used++] = *c;
        else if (used > 0 && out[used - 1] != '-')
            out[used++] = '-';
    snprintf(out + used, CLG_TUNING_FILE_NAME - used, "%s%.*s.json",
             used > 0 && out[used - 1] != '-' ? "-" : "", DIGITS, digits);
}

/* ---- Members ---- */

/* The largest plausible value of a speed or time, in units of the members. */
static const int64_t MOST_SPEED = 1000000000;

bool clg_tuning_read_text(struct clg_json_scan *scan, char *out, size_t size) {
    char text[CLG_FACT_TEXT];
    if (!clg_json_scan_text(scan, text, size < sizeof text ? size : sizeof text))
        return false;
    clg_utf8_copy(out, size, text);
    return true;
}

#define DEVICE_TEXT(field)                                                          \
    static bool read_device_##field(struct clg_json_scan *scan, void *out) {        \
        return clg_tuning_read_text(scan, ((struct clg_tuning_device *)out)->field, \
                                    CLG_FACT_TEXT);                                 \
    }
DEVICE_TEXT(name)
DEVICE_TEXT(vendor)
DEVICE_TEXT(platform)
DEVICE_TEXT(driver)
#undef DEVICE_TEXT

static bool read_device_units(struct clg_json_scan *scan, void *out) {
    int64_t units;
    const bool good = clg_json_scan_integer(scan, 0, UINT32_MAX, &units);
    if (good)
        ((struct clg_tuning_device *)out)->compute_units = (uint32_t)units;
    return good;
}

#define BREAK_EVEN_TEXT(field)                                                          \
    static bool read_break_even_##field(struct clg_json_scan *scan, void *out) {        \
        struct clg_break_even *break_even = out;                                        \
        return clg_tuning_read_text(scan, break_even->field, sizeof break_even->field); \
    }
BREAK_EVEN_TEXT(against)
BREAK_EVEN_TEXT(version)
#undef BREAK_EVEN_TEXT

static bool read_break_even_flops(struct clg_json_scan *scan, void *out) {
    return clg_json_scan_integer(scan, 1, INT64_MAX, &((struct clg_break_even *)out)->flops);
}

static bool read_break_even_date(struct clg_json_scan *scan, void *out) {
    return clg_json_scan_date(scan, ((struct clg_break_even *)out)->date);
}

#define SPEED(name)                                                                                \
    static bool read_##name(struct clg_json_scan *scan, void *out) {                               \
        return clg_json_scan_integer(scan, 1, MOST_SPEED, &((struct clg_host_speeds *)out)->name); \
    }
CLG_HOST_SPEEDS(SPEED)
#undef SPEED

static bool read_speeds_date(struct clg_json_scan *scan, void *out) {
    return clg_json_scan_date(scan, ((struct clg_host_speeds *)out)->date);
}

static bool read_speeds_version(struct clg_json_scan *scan, void *out) {
    struct clg_host_speeds *speeds = out;
    return clg_tuning_read_text(scan, speeds->version, sizeof speeds->version);
}

const char *clg_type_member(char text[CLG_TYPE_MEMBER], const char *of_f32, clgemm_type type) {
    char word[CLG_TYPE_WORD];
    const bool is_f32 = type == CLGEMM_F32;
    snprintf(text, CLG_TYPE_MEMBER, "%s%s%s", of_f32, is_f32 ? "" : "_",
             is_f32 ? "" : clg_type_word(word, type));
    return text;
}

/* The type whose break-even has this member name; CLG_TYPE_COUNT if no supported type has. */
static int break_even_type(const char *name) {
    char member[CLG_TYPE_MEMBER];
    int type = 0;
    while (type < CLG_TYPE_COUNT &&
           (!clg_types[type].options ||
            strcmp(name, clg_type_member(member, "break_even", (clgemm_type)type)) != 0))
        type++;
    return type;
}

/* ---- The line ---- */

static bool read_schema(struct clg_json_scan *scan) {
    char text[64];
    if (!clg_json_scan_mark(scan, '{') || !clg_json_scan_name(scan, text, sizeof text) ||
        strcmp(text, "schema") != 0 || !clg_json_scan_text(scan, text, sizeof text))
        return clg_json_scan_fail(scan,
                                  "this is no tuning file: its first member is not \"schema\"");
    return strcmp(text, CLG_TUNING_SCHEMA) == 0 ||
           clg_json_scan_fail(scan, "its schema is \"%s\"; this version reads " CLG_TUNING_SCHEMA,
                              text);
}

bool clg_tuning_device_read(struct clg_json_scan *scan, struct clg_tuning_device *out) {
    static const struct clg_json_member members[] = {{"name", read_device_name, false},
                                                     {"vendor", read_device_vendor, false},
                                                     {"platform", read_device_platform, false},
                                                     {"driver", read_device_driver, false},
                                                     {"compute_units", read_device_units, false}};
    return clg_json_scan_object(scan, members, sizeof members / sizeof *members, out);
}

static bool read_break_even(struct clg_json_scan *scan, const char *name,
                            struct clg_break_even *out) {
    static const struct clg_json_member members[] = {{"flops", read_break_even_flops, false},
                                                     {"against", read_break_even_against, false},
                                                     {"date", read_break_even_date, false},
                                                     {"version", read_break_even_version, false}};
    char why[CLG_JSON_SCAN_WHY];
    out->type = (clgemm_type)break_even_type(name);
    if (clg_json_scan_object(scan, members, sizeof members / sizeof *members, out))
        return true;
    snprintf(why, sizeof why, "%s", scan->why);
    snprintf(scan->why, sizeof scan->why, "\"%s\": %.140s", name, why);
    return false;
}

static bool read_speeds(struct clg_json_scan *scan, struct clg_host_speeds *out) {
#define MEMBER(name) {#name, read_##name, false},
    static const struct clg_json_member members[] = {
        CLG_HOST_SPEEDS(MEMBER){"date", read_speeds_date, false},
        {"version", read_speeds_version, false}};
#undef MEMBER
    return clg_json_scan_object(scan, members, sizeof members / sizeof *members, out);
}

/* Whether a member that may occur once occurs for the first time. */
static bool is_first(struct clg_json_scan *scan, const char *name, bool *seen) {
    if (*seen)
        return clg_json_scan_fail(scan, "\"%s\" appears twice", name);
    return *seen = true;
}

bool clg_tuning_head_read(struct clg_json_scan *scan, struct clg_tuning_device *device,
                          struct clg_break_even break_evens[CLG_TYPE_COUNT],
                          struct clg_host_speeds *speeds) {
    bool has_device = false, has_speeds = false;
    bool has_break_even[CLG_TYPE_COUNT] = {false}, good = read_schema(scan);
    char name[CLG_JSON_SCAN_NAME] = "";
    while (good && strcmp(name, "rows") != 0) {
        good = clg_json_scan_mark(scan, ',') && clg_json_scan_name(scan, name, sizeof name);
        const int type = break_even_type(name);
        if (good && strcmp(name, "device") == 0)
            good = is_first(scan, name, &has_device) && clg_tuning_device_read(scan, device);
        else if (good && type < CLG_TYPE_COUNT)
            good = is_first(scan, name, &has_break_even[type]) &&
                   read_break_even(scan, name, &break_evens[type]);
        else if (good && strcmp(name, "host") == 0)
            good = is_first(scan, name, &has_speeds) && read_speeds(scan, speeds);
        else if (good && strcmp(name, "rows") != 0)
            good = clg_json_scan_unknown(scan, name);
    }
    if (good && !has_device)
        return clg_json_scan_fail(scan, "\"device\" is missing before \"rows\"");
    return good && clg_json_scan_mark(scan, '[') &&
           (clg_json_scan_at_end(scan) ||
            clg_json_scan_fail(scan, "something follows \"rows\": ["));
}
