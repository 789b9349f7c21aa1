/* SPDX-License-Identifier: Apache-2.0
 * Reads JSON of a known structure: strings and names. */
#include <string.h>

#include "base/json_scan.h"

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

bool clg_json_scan_skip_text(struct clg_json_scan *scan) {
    bool readable;
    read_text(scan, NULL, 0, &readable);
    return !*scan->why;
}
