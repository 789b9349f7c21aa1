/* SPDX-License-Identifier: Apache-2.0
 * Reads JSON of a known structure: objects, arrays, and values to skip. */
#include <stdio.h>
#include <string.h>

#include "base/json_scan.h"

/* ---- Any value ---- */

enum { DEEPEST = 32 };

static bool skip_value(struct clg_json_scan *scan, int depth);

/* Members or elements, up to the closing bracket. */
static bool skip_all(struct clg_json_scan *scan, char close, int depth) {
    if (clg_json_scan_has(scan, close))
        return true;
    do {
        char name[1];
        if (close == '}' && !clg_json_scan_name(scan, name, sizeof name))
            return false;
        if (!skip_value(scan, depth))
            return false;
    } while (clg_json_scan_has(scan, ','));
    return clg_json_scan_mark(scan, close);
}

static bool skip_value(struct clg_json_scan *scan, int depth) {
    double number;
    const char next = clg_json_scan_next(scan);
    if (depth == DEEPEST)
        return clg_json_scan_fail(scan, "values are nested deeper than %d", DEEPEST);
    if (next == '"')
        return clg_json_scan_skip_text(scan);
    if (clg_json_scan_has(scan, '{'))
        return skip_all(scan, '}', depth + 1);
    if (clg_json_scan_has(scan, '['))
        return skip_all(scan, ']', depth + 1);
    if (next == '-' || (next >= '0' && next <= '9'))
        return clg_json_scan_number(scan, &number);
    return clg_json_scan_has_word(scan, "true") || clg_json_scan_has_word(scan, "false") ||
           clg_json_scan_has_word(scan, "null") || clg_json_scan_fail(scan, "expected a value");
}

bool clg_json_scan_skip(struct clg_json_scan *scan) {
    return skip_value(scan, 0);
}

bool clg_json_scan_unknown(struct clg_json_scan *scan, const char *name) {
    if (scan->unknown++ == 0)
        snprintf(scan->unknown_name, sizeof scan->unknown_name, "%s", name);
    return clg_json_scan_skip(scan);
}

/* ---- Objects and arrays ---- */

static bool read_member(struct clg_json_scan *scan, const struct clg_json_member *members,
                        size_t count, uint32_t *seen, void *out) {
    char name[CLG_JSON_SCAN_NAME];
    size_t i = 0;
    if (!clg_json_scan_name(scan, name, sizeof name))
        return false;
    while (i < count && strcmp(members[i].name, name) != 0)
        i++;
    if (i < count && *seen & (UINT32_C(1) << i))
        return clg_json_scan_fail(scan, "\"%s\" appears twice", name);
    if (i < count)
        *seen |= UINT32_C(1) << i;
    if (i < count ? members[i].read(scan, out) : clg_json_scan_unknown(scan, name))
        return true;
    char why[CLG_JSON_SCAN_WHY];
    snprintf(why, sizeof why, "%s", scan->why);
    snprintf(scan->why, sizeof scan->why, "\"%s\": %.150s", name, why);
    return false;
}

bool clg_json_scan_object(struct clg_json_scan *scan, const struct clg_json_member *members,
                          size_t count, void *out) {
    uint32_t seen = 0;
    if (!clg_json_scan_mark(scan, '{'))
        return false;
    if (!clg_json_scan_has(scan, '}')) {
        do
            if (!read_member(scan, members, count, &seen, out))
                return false;
        while (clg_json_scan_has(scan, ','));
        if (!clg_json_scan_mark(scan, '}'))
            return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!members[i].optional && !(seen & (UINT32_C(1) << i)))
            return clg_json_scan_fail(scan, "\"%s\" is missing", members[i].name);
    return true;
}

bool clg_json_scan_array(struct clg_json_scan *scan,
                         bool (*read)(struct clg_json_scan *scan, void *out), void *out) {
    if (!clg_json_scan_mark(scan, '['))
        return false;
    if (clg_json_scan_has(scan, ']'))
        return true;
    do
        if (!read(scan, out))
            return false;
    while (clg_json_scan_has(scan, ','));
    return clg_json_scan_mark(scan, ']');
}
