/* SPDX-License-Identifier: Apache-2.0
 * Reading JSON of a known form from one line. */
#include "gemm/tuning_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 32, DECIMALS = 6 };

struct clg_scan clg_scan_start(const char *text, size_t size) {
    return (struct clg_scan){.at = text, .end = text + size};
}

bool clg_scan_fail(struct clg_scan *scan, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!*scan->why)
        vsnprintf(scan->why, sizeof scan->why, format, args);
    va_end(args);
    return false;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct clg_scan *scan) {
    while (scan->at < scan->end && strchr(" \t\r", *scan->at) && *scan->at)
        scan->at++;
}

bool clg_scan_at_end(struct clg_scan *scan) {
    skip_blanks(scan);
    return scan->at == scan->end;
}

bool clg_scan_has(struct clg_scan *scan, char mark) {
    if (*scan->why || clg_scan_at_end(scan) || *scan->at != mark)
        return false;
    scan->at++;
    return true;
}

bool clg_scan_mark(struct clg_scan *scan, char mark) {
    if (clg_scan_has(scan, mark))
        return true;
    if (scan->at == scan->end)
        return clg_scan_fail(scan, "the line ends where %c should be", mark);
    if (*scan->at > ' ' && *scan->at <= '~')
        return clg_scan_fail(scan, "%c is where %c should be", *scan->at, mark);
    return clg_scan_fail(scan, "byte 0x%02x is where %c should be", (unsigned char)*scan->at, mark);
}

static int hex_value(char c) {
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* What follows a backslash. Only characters below U+0080 need one in names of devices. */
static bool read_escape(struct clg_scan *scan, char *out) {
    static const char marks[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char *mark = scan->at < scan->end && *scan->at ? strchr(marks, *scan->at) : NULL;
    if (mark) {
        *out = means[mark - marks];
        scan->at++;
        return true;
    }
    int value = scan->end - scan->at >= 5 && *scan->at == 'u' ? 0 : -1;
    for (int i = 1; i <= 4 && value >= 0; i++) {
        const int digit = hex_value(scan->at[i]);
        value = digit < 0 ? -1 : 16 * value + digit;
    }
    if (value <= 0 || value >= 0x80)
        return clg_scan_fail(scan, "a text has an escape that is not known here");
    *out = (char)value;
    scan->at += 5;
    return true;
}

bool clg_scan_text(struct clg_scan *scan, char *out, size_t size) {
    size_t used = 0;
    if (!clg_scan_mark(scan, '"'))
        return false;
    while (scan->at < scan->end && *scan->at != '"') {
        char c = *scan->at++;
        if ((unsigned char)c < 0x20)
            return clg_scan_fail(scan, "a text has a control character");
        if (c == '\\' && !read_escape(scan, &c))
            return false;
        if (used + 1 >= size)
            return clg_scan_fail(scan, "a text is longer than %zu characters", size - 1);
        out[used++] = c;
    }
    out[used] = '\0';
    if (scan->at == scan->end)
        return clg_scan_fail(scan, "the line ends within a text");
    scan->at++;
    return true;
}

/* Digits without a needless zero before them, up to `most`. */
static bool read_digits(struct clg_scan *scan, int64_t most, int64_t *out) {
    const char *start = scan->at;
    *out = 0;
    for (; scan->at < scan->end && is_digit(*scan->at); scan->at++)
        if (__builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, *scan->at - '0', out) || *out > most)
            return clg_scan_fail(scan, "a number is larger than %lld", (long long)most);
    if (scan->at == start || (*start == '0' && scan->at - start > 1))
        return clg_scan_fail(scan, "a number should be where there is none");
    return true;
}

bool clg_scan_integer(struct clg_scan *scan, int64_t least, int64_t most, int64_t *out) {
    if (*scan->why)
        return false;
    skip_blanks(scan);
    if (!read_digits(scan, most, out))
        return false;
    if (scan->at < scan->end && (*scan->at == '.' || *scan->at == 'e' || *scan->at == 'E'))
        return clg_scan_fail(scan, "a number is not whole");
    if (*out < least)
        return clg_scan_fail(scan, "a number is smaller than %lld", (long long)least);
    return true;
}

bool clg_scan_decimal(struct clg_scan *scan, double *out) {
    int64_t whole, unit = 1000000, decimals = 0;
    if (*scan->why)
        return false;
    skip_blanks(scan);
    if (!read_digits(scan, 1000000000, &whole))
        return false;
    if (scan->at < scan->end && *scan->at == '.') {
        const char *start = ++scan->at;
        for (; scan->at < scan->end && is_digit(*scan->at); scan->at++)
            if (scan->at - start < DECIMALS)
                decimals += (*scan->at - '0') * (unit /= 10);
        if (scan->at == start)
            return clg_scan_fail(scan, "a number ends in its point");
    }
    *out = (double)(whole * 1000000 + decimals) / 1e6;
    return *out > 0 || clg_scan_fail(scan, "a number is not above zero");
}

bool clg_scan_flag(struct clg_scan *scan, bool *out) {
    static const char *const words[] = {"false", "true"};
    if (*scan->why)
        return false;
    skip_blanks(scan);
    for (int i = 0; i < 2; i++) {
        const size_t length = strlen(words[i]);
        if ((size_t)(scan->end - scan->at) >= length && !memcmp(scan->at, words[i], length)) {
            scan->at += length;
            *out = i;
            return true;
        }
    }
    return clg_scan_fail(scan, "true or false should be where something else is");
}

bool clg_scan_date(struct clg_scan *scan, char out[CLG_SCAN_DATE]) {
    static const char form[CLG_SCAN_DATE] = "0000-00-00";
    if (!clg_scan_text(scan, out, CLG_SCAN_DATE))
        return false;
    for (size_t i = 0; form[i]; i++)
        if (form[i] == '-' ? out[i] != '-' : !is_digit(out[i]))
            return clg_scan_fail(scan, "\"%s\" is no date as 2026-01-31", out);
    return true;
}

static bool read_member(struct clg_scan *scan, const struct clg_member *members, size_t count,
                        uint32_t *seen, void *out) {
    char name[LONGEST_NAME];
    size_t i = 0;
    if (!clg_scan_text(scan, name, sizeof name) || !clg_scan_mark(scan, ':'))
        return false;
    while (i < count && strcmp(members[i].name, name) != 0)
        i++;
    if (i == count)
        return clg_scan_fail(scan, "\"%s\" is not known", name);
    if (*seen & (UINT32_C(1) << i))
        return clg_scan_fail(scan, "\"%s\" is there twice", name);
    *seen |= UINT32_C(1) << i;
    if (members[i].read(scan, out))
        return true;
    char why[CLG_SCAN_WHY];
    snprintf(why, sizeof why, "%s", scan->why);
    snprintf(scan->why, sizeof scan->why, "\"%s\": %.150s", name, why);
    return false;
}

bool clg_scan_object(struct clg_scan *scan, const struct clg_member *members, size_t count,
                     void *out) {
    uint32_t seen = 0;
    if (!clg_scan_mark(scan, '{'))
        return false;
    if (!clg_scan_has(scan, '}')) {
        do
            if (!read_member(scan, members, count, &seen, out))
                return false;
        while (clg_scan_has(scan, ','));
        if (!clg_scan_mark(scan, '}'))
            return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!(seen & (UINT32_C(1) << i)))
            return clg_scan_fail(scan, "\"%s\" is missing", members[i].name);
    return true;
}
