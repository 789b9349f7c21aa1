/* SPDX-License-Identifier: Apache-2.0
 * The first line of a tuning file: its device, and from where on host calls pay there. */
#include "gemm/tuning_head.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

_Static_assert((int)CLG_SCAN_DATE == (int)CLG_TUNING_DATE, "dates fit their members");

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

#define BREAK_EVEN_TEXT(field)                                                   \
    static bool read_break_even_##field(struct clg_scan *scan, void *out) {      \
        struct clg_break_even *break_even = out;                                 \
        return clg_scan_text(scan, break_even->field, sizeof break_even->field); \
    }
BREAK_EVEN_TEXT(against)
BREAK_EVEN_TEXT(version)
#undef BREAK_EVEN_TEXT

static bool read_break_even_flops(struct clg_scan *scan, void *out) {
    return clg_scan_integer(scan, 1, INT64_MAX, &((struct clg_break_even *)out)->flops);
}

static bool read_break_even_date(struct clg_scan *scan, void *out) {
    return clg_scan_date(scan, ((struct clg_break_even *)out)->date);
}

/* ---- The line ---- */

/* The name of the head's next member, and the colon. */
static bool read_name(struct clg_scan *scan, char *out, size_t size) {
    return clg_scan_text(scan, out, size) && clg_scan_mark(scan, ':');
}

static bool read_schema(struct clg_scan *scan) {
    char text[64];
    if (!clg_scan_mark(scan, '{') || !read_name(scan, text, sizeof text) ||
        strcmp(text, "schema") != 0 || !clg_scan_text(scan, text, sizeof text))
        return clg_scan_fail(scan, "this is no tuning file: \"schema\" does not come first");
    return strcmp(text, CLG_TUNING_SCHEMA) == 0 ||
           clg_scan_fail(scan, "its schema is \"%s\"; this version reads " CLG_TUNING_SCHEMA, text);
}

static bool read_device(struct clg_scan *scan, struct clg_tuning_device *out) {
    static const struct clg_member members[] = {{"name", read_device_name},
                                                {"vendor", read_device_vendor},
                                                {"platform", read_device_platform},
                                                {"driver", read_device_driver},
                                                {"compute_units", read_device_units}};
    char name[16];
    if (!clg_scan_mark(scan, ',') || !read_name(scan, name, sizeof name) ||
        strcmp(name, "device") != 0)
        return clg_scan_fail(scan, "\"device\" does not follow the schema");
    return clg_scan_object(scan, members, sizeof members / sizeof *members, out);
}

static bool read_break_even(struct clg_scan *scan, struct clg_break_even *out) {
    static const struct clg_member members[] = {{"flops", read_break_even_flops},
                                                {"against", read_break_even_against},
                                                {"date", read_break_even_date},
                                                {"version", read_break_even_version}};
    char why[CLG_SCAN_WHY];
    if (clg_scan_object(scan, members, sizeof members / sizeof *members, out))
        return true;
    snprintf(why, sizeof why, "%s", scan->why);
    snprintf(scan->why, sizeof scan->why, "\"break_even\": %.150s", why);
    return false;
}

bool clg_tuning_head_read(struct clg_scan *scan, struct clg_tuning_device *device,
                          struct clg_break_even *break_even) {
    static const char no_rows[] = "\"rows\": [ does not follow the device";
    char name[16];
    if (!read_schema(scan) || !read_device(scan, device))
        return false;
    if (!clg_scan_mark(scan, ',') || !read_name(scan, name, sizeof name))
        return clg_scan_fail(scan, no_rows);
    if (strcmp(name, "break_even") == 0 &&
        (!read_break_even(scan, break_even) || !clg_scan_mark(scan, ',') ||
         !read_name(scan, name, sizeof name)))
        return clg_scan_fail(scan, no_rows);
    if (strcmp(name, "rows") != 0 || !clg_scan_mark(scan, '['))
        return clg_scan_fail(scan, no_rows);
    return clg_scan_at_end(scan) || clg_scan_fail(scan, "something follows \"rows\": [");
}
