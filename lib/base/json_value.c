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

/* Members of which struct clg_json_member is the first part. */
struct members {
    const char *first;
    size_t size, count;
    clg_json_read *read;
};

static const struct clg_json_member *member_at(const struct members *members, size_t i) {
    return (const struct clg_json_member *)(const void *)(members->first + i * members->size);
}

static bool read_member(struct clg_json_scan *scan, const struct members *members, const char *name,
                        bool *seen, void *out) {
    size_t i = 0;
    while (i < members->count && strcmp(member_at(members, i)->name, name) != 0)
        i++;
    if (i < members->count && seen[i])
        return clg_json_scan_fail(scan, "\"%s\" appears twice", name);
    seen[i] = true;
    if (i < members->count ? members->read(scan, member_at(members, i), out)
                           : clg_json_scan_unknown(scan, name))
        return true;
    char why[CLG_JSON_SCAN_WHY];
    snprintf(why, sizeof why, "%s", scan->why);
    snprintf(scan->why, sizeof scan->why, "\"%s\": %.150s", name, why);
    return false;
}

static bool has_all(struct clg_json_scan *scan, const struct members *members, const bool *seen,
                    const char *until) {
    for (size_t i = 0; i < members->count; i++)
        if (!member_at(members, i)->optional && !seen[i])
            return until
                       ? clg_json_scan_fail(scan, "\"%s\" is missing before \"%s\"",
                                            member_at(members, i)->name, until)
                       : clg_json_scan_fail(scan, "\"%s\" is missing", member_at(members, i)->name);
    return true;
}

bool clg_json_scan_members(struct clg_json_scan *scan, const void *members, size_t size,
                           size_t count, const char *until, clg_json_read *read, void *out) {
    const struct members all = {members, size, count, read};
    bool seen[CLG_JSON_MEMBERS + 1] = {false};
    char name[CLG_JSON_SCAN_NAME];
    bool ended = !until && clg_json_scan_has(scan, '}');
    while (!ended) {
        if (!clg_json_scan_name(scan, name, sizeof name))
            return false;
        if (until && strcmp(name, until) == 0)
            break;
        if (!read_member(scan, &all, name, seen, out))
            return false;
        ended = !clg_json_scan_has(scan, ',');
        if (ended && !clg_json_scan_mark(scan, until ? ',' : '}'))
            return false;
    }
    return has_all(scan, &all, seen, until);
}

static bool read_alone(struct clg_json_scan *scan, const struct clg_json_member *member,
                       void *out) {
    return member->read(scan, out);
}

bool clg_json_scan_object(struct clg_json_scan *scan, const struct clg_json_member *members,
                          size_t count, void *out) {
    return clg_json_scan_mark(scan, '{') &&
           clg_json_scan_members(scan, members, sizeof *members, count, NULL, read_alone, out);
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
