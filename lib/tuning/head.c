/* SPDX-License-Identifier: Apache-2.0
 * What tuning files say of a device: its names, break-evens and host speeds. */
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

#define TEXT(name) \
    { CLG_FIELD(clg_tuning_device, name, #name, TEXT, false) }
static const struct clg_field device_fields[] = {
    TEXT(name),
    TEXT(vendor),
    TEXT(platform),
    TEXT(driver),
    {CLG_FIELD(clg_tuning_device, compute_units, "compute_units", WHOLE, false),
     .most = UINT32_MAX}};
#undef TEXT
const struct clg_fields clg_tuning_device_fields = CLG_FIELDS(device_fields);

static const struct clg_field break_even_fields[] = {
    {CLG_FIELD(clg_break_even, flops, "flops", WHOLE, false), .least = 1, .most = INT64_MAX},
    {CLG_FIELD(clg_break_even, against, "against", TEXT, false)},
    {CLG_FIELD(clg_break_even, date, "date", DATE, false)},
    {CLG_FIELD(clg_break_even, version, "version", TEXT, false)}};
const struct clg_fields clg_break_even_fields = CLG_FIELDS(break_even_fields);

/* The largest plausible value of a speed or time, in units of the members. */
enum { MOST_SPEED = 1000000000 };

#define SPEED(name) \
    {CLG_FIELD(clg_host_speeds, name, #name, WHOLE, false), .least = 1, .most = MOST_SPEED},
static const struct clg_field speeds_fields[] = {
    CLG_HOST_SPEEDS(SPEED){CLG_FIELD(clg_host_speeds, date, "date", DATE, false)},
    {CLG_FIELD(clg_host_speeds, version, "version", TEXT, false)}};
#undef SPEED
const struct clg_fields clg_host_speeds_fields = CLG_FIELDS(speeds_fields);

void clg_host_speeds_write(struct clg_json *json, const struct clg_host_speeds *speeds) {
    if (speeds->up_mb_s)
        clg_fields_write(json, "host", &clg_host_speeds_fields, speeds);
}

const char *clg_type_member(char text[CLG_TYPE_MEMBER], const char *of_f32, clgemm_type type) {
    char word[CLG_TYPE_WORD];
    const bool is_f32 = type == CLGEMM_F32;
    snprintf(text, CLG_TYPE_MEMBER, "%s%s%s", of_f32, is_f32 ? "" : "_",
             is_f32 ? "" : clg_type_word(word, type));
    return text;
}
