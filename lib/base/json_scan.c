/* SPDX-License-Identifier: Apache-2.0
 * Reads JSON of a known structure. */
#include "base/json_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"

struct clg_json_scan clg_json_scan_start(const char *text, size_t size) {
    return (struct clg_json_scan){.at = text, .end = text + size};
}

bool clg_json_scan_fail(struct clg_json_scan *scan, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!*scan->why)
        clg_format_args(scan->why, sizeof scan->why, format, args);
    va_end(args);
    return false;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct clg_json_scan *scan) {
    while (scan->at < scan->end && strchr(" \t\r\n", *scan->at) && *scan->at)
        scan->at++;
}

bool clg_json_scan_at_end(struct clg_json_scan *scan) {
    skip_blanks(scan);
    return scan->at == scan->end;
}

char clg_json_scan_next(struct clg_json_scan *scan) {
    return *scan->why || clg_json_scan_at_end(scan) ? '\0' : *scan->at;
}

bool clg_json_scan_has(struct clg_json_scan *scan, char mark) {
    if (*scan->why || clg_json_scan_at_end(scan) || *scan->at != mark)
        return false;
    scan->at++;
    return true;
}

bool clg_json_scan_mark(struct clg_json_scan *scan, char mark) {
    if (clg_json_scan_has(scan, mark))
        return true;
    if (scan->at == scan->end)
        return clg_json_scan_fail(scan, "expected %c but found the end", mark);
    if (*scan->at > ' ' && *scan->at <= '~')
        return clg_json_scan_fail(scan, "expected %c but found %c", mark, *scan->at);
    return clg_json_scan_fail(scan, "expected %c but found byte 0x%02x", mark,
                              (unsigned char)*scan->at);
}

/* ---- Numbers ---- */

/* Digits without leading zeros, for a number of at most `most`. */
static bool read_digits(struct clg_json_scan *scan, int64_t most, int64_t *out) {
    const char *start = scan->at;
    *out = 0;
    for (; scan->at < scan->end && is_digit(*scan->at); scan->at++)
        if (__builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, *scan->at - '0', out) || *out > most)
            return clg_json_scan_fail(scan, "a number is larger than %lld", (long long)most);
    if (scan->at == start || (*start == '0' && scan->at - start > 1))
        return clg_json_scan_fail(scan, "expected a number");
    return true;
}

bool clg_json_scan_integer(struct clg_json_scan *scan, int64_t least, int64_t most, int64_t *out) {
    if (*scan->why)
        return false;
    skip_blanks(scan);
    if (!read_digits(scan, most, out))
        return false;
    if (scan->at < scan->end && (*scan->at == '.' || *scan->at == 'e' || *scan->at == 'E'))
        return clg_json_scan_fail(scan, "a number is not an integer");
    if (*out < least)
        return clg_json_scan_fail(scan, "a number is smaller than %lld", (long long)least);
    return true;
}

static bool take(struct clg_json_scan *scan, char mark) {
    const bool is_there = scan->at < scan->end && *scan->at == mark;
    scan->at += is_there;
    return is_there;
}

/* Returns how many digits there were. */
static size_t skip_digits(struct clg_json_scan *scan) {
    const char *start = scan->at;
    while (scan->at < scan->end && is_digit(*scan->at))
        scan->at++;
    return (size_t)(scan->at - start);
}

bool clg_json_scan_number(struct clg_json_scan *scan, double *out) {
    char text[CLG_JSON_SCAN_NUMBER] = "";
    if (*scan->why)
        return false;
    *out = 0;
    skip_blanks(scan);
    const char *start = scan->at;
    take(scan, '-');
    const char *first = scan->at;
    const size_t whole = skip_digits(scan);
    bool good = whole == 1 || (whole > 1 && *first != '0');
    if (good && take(scan, '.'))
        good = skip_digits(scan) > 0;
    if (good && (take(scan, 'e') || take(scan, 'E'))) {
        if (!take(scan, '-'))
            take(scan, '+');
        good = skip_digits(scan) > 0;
    }
    const size_t length = (size_t)(scan->at - start);
    if (!good || length >= sizeof text)
        return clg_json_scan_fail(scan,
                                  good ? "a number has too many digits" : "expected a number");
    memcpy(text, start, length);
    *out = clg_read_number(text, NULL);
    return true;
}

/* ---- Strings and names ---- */

static int hex_value(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Reads the four digits of \uXXXX, with `scan` at the u. Negative if they are not there. */
static int32_t read_unit(struct clg_json_scan *scan) {
    int32_t value = scan->end - scan->at >= 5 && *scan->at == 'u' ? 0 : -1;
    for (int i = 1; i <= 4 && value >= 0; i++) {
        const int digit = hex_value(scan->at[i]);
        value = digit < 0 ? -1 : 16 * value + digit;
    }
    scan->at += value >= 0 ? 5 : 0;
    return value;
}

/* The same, combined with the second half of a surrogate pair if there is one. A lone surrogate is
 * returned unchanged. */
static int32_t read_code_point(struct clg_json_scan *scan) {
    const int32_t high = read_unit(scan);
    const char *const behind = scan->at;
    if (high < 0xd800 || high > 0xdbff || scan->end - scan->at < 2 || *scan->at != '\\')
        return high;
    scan->at++;
    const int32_t low = read_unit(scan);
    if (low >= 0xdc00 && low <= 0xdfff)
        return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    scan->at = behind;
    return high;
}

/* Encodes a code point as UTF-8. Returns the number of bytes. */
static size_t encode(char out[4], int32_t point) {
    const size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3f));
    out[0] = (char)(first[length] | point);
    return length;
}

/* Reads what follows a backslash and returns its number of bytes in UTF-8. 0 if a C string cannot
 * hold it as UTF-8, or, with `why` set, if it is not an escape. */
static size_t read_escape(struct clg_json_scan *scan, char out[4]) {
    static const char marks[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char *mark = scan->at < scan->end && *scan->at ? strchr(marks, *scan->at) : NULL;
    if (mark) {
        *out = means[mark - marks];
        scan->at++;
        return 1;
    }
    const int32_t point = read_code_point(scan);
    if (point < 0)
        clg_json_scan_fail(scan, "a string has an unknown escape");
    return point <= 0 || (point >= 0xd800 && point <= 0xdfff) ? 0 : encode(out, point);
}

/* Reads a string and stores as much as fits. Returns its full length in bytes. */
static size_t read_text(struct clg_json_scan *scan, char *out, size_t size, bool *readable) {
    size_t used = 0, length = 0;
    *readable = true;
    if (!clg_json_scan_mark(scan, '"'))
        return 0;
    while (scan->at < scan->end && *scan->at != '"' && !*scan->why) {
        char bytes[4] = {*scan->at++};
        size_t count = 1;
        if ((unsigned char)*bytes < 0x20)
            clg_json_scan_fail(scan, "a string has a control character");
        else if (*bytes == '\\')
            count = read_escape(scan, bytes);
        *readable = *readable && count > 0;
        length += count;
        if (length < size) {
            memcpy(out + used, bytes, count);
            used = length;
        }
    }
    if (size > 0)
        out[used] = '\0';
    if (scan->at == scan->end)
        clg_json_scan_fail(scan, "a string has no closing quote");
    else
        scan->at++;
    return length;
}

bool clg_json_scan_text(struct clg_json_scan *scan, char *out, size_t size) {
    bool readable;
    const size_t length = read_text(scan, out, size, &readable);
    if (!readable)
        return clg_json_scan_fail(scan, "a string has an unknown escape");
    if (length >= size)
        return clg_json_scan_fail(scan, "a string is longer than %zu characters", size - 1);
    return !*scan->why;
}

bool clg_json_scan_name(struct clg_json_scan *scan, char *out, size_t size) {
    bool readable;
    read_text(scan, out, size, &readable);
    return clg_json_scan_mark(scan, ':');
}

static bool skip_text(struct clg_json_scan *scan) {
    bool readable;
    read_text(scan, NULL, 0, &readable);
    return !*scan->why;
}

/* ---- Words and dates ---- */

bool clg_json_scan_has_word(struct clg_json_scan *scan, const char *word) {
    const size_t length = strlen(word);
    if (*scan->why)
        return false;
    skip_blanks(scan);
    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0)
        return false;
    scan->at += length;
    return true;
}

bool clg_json_scan_flag(struct clg_json_scan *scan, bool *out) {
    *out = clg_json_scan_has_word(scan, "true");
    if (*out || clg_json_scan_has_word(scan, "false"))
        return true;
    return clg_json_scan_fail(scan, "expected true or false");
}

bool clg_json_scan_date(struct clg_json_scan *scan, char out[CLG_JSON_SCAN_DATE]) {
    static const char form[CLG_JSON_SCAN_DATE] = "0000-00-00";
    if (!clg_json_scan_text(scan, out, CLG_JSON_SCAN_DATE))
        return false;
    for (size_t i = 0; form[i]; i++)
        if (form[i] == '-' ? out[i] != '-' : !is_digit(out[i]))
            return clg_json_scan_fail(scan, "\"%s\" is not a date such as 2026-01-31", out);
    return true;
}

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
        return skip_text(scan);
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
