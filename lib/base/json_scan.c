/* SPDX-License-Identifier: Apache-2.0
 * Reads JSON of a known structure: punctuation, words, numbers. */
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

/* ---- Others ---- */

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
