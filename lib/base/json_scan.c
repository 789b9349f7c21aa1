/* SPDX-License-Identifier: Apache-2.0
 * Reads JSON of a known structure: punctuation, words, numbers. */
#include "base/json_scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"

enum { DECIMALS = 6 };

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

bool clg_json_scan_decimal(struct clg_json_scan *scan, double *out) {
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
            return clg_json_scan_fail(scan, "a number ends with its decimal point");
    }
    *out = (double)(whole * 1000000 + decimals) / 1e6;
    return *out > 0 || clg_json_scan_fail(scan, "a number is not above zero");
}

/* digits x 10^exponent */
struct scientific {
    uint64_t digits;
    int exponent;
};

/* Reads digits, each of which moves the decimal point by `step`. From the eighteenth on they only
 * change the exponent. Returns how many there were. */
static size_t take_digits(struct clg_json_scan *scan, struct scientific *number, int step) {
    const char *start = scan->at;
    for (; scan->at < scan->end && is_digit(*scan->at); scan->at++) {
        const bool fits = number->digits < UINT64_C(10000000000000000);
        if (fits)
            number->digits = 10 * number->digits + (uint64_t)(*scan->at - '0');
        number->exponent += fits ? step : step + 1;
    }
    return (size_t)(scan->at - start);
}

/* Correctly rounded for up to fifteen digits and exponents up to 22, because both factors are exact
 * then (Clinger, How to read floating point numbers accurately, 1990); else within a few units in
 * the last place. */
static double value_of(const struct scientific *number) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { MOST = sizeof powers / sizeof *powers - 1 };
    double value = (double)number->digits;
    int exponent = number->exponent;
    for (; exponent > MOST && value > 0 && value < HUGE_VAL; exponent -= MOST)
        value *= powers[MOST];
    for (; exponent < -MOST && value > 0; exponent += MOST)
        value /= powers[MOST];
    if (exponent > MOST || exponent < -MOST) /* value is 0 or infinite */
        return value;
    return exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
}

static bool take(struct clg_json_scan *scan, char mark) {
    const bool is_there = scan->at < scan->end && *scan->at == mark;
    scan->at += is_there;
    return is_there;
}

bool clg_json_scan_number(struct clg_json_scan *scan, double *out) {
    enum { LARGEST_EXPONENT = 100000 };
    struct scientific number = {0, 0}, power = {0, 0};
    if (*scan->why)
        return false;
    skip_blanks(scan);
    const bool negative = take(scan, '-');
    const char *start = scan->at;
    const size_t whole = take_digits(scan, &number, 0);
    bool good = whole == 1 || (whole > 1 && *start != '0');
    if (good && take(scan, '.'))
        good = take_digits(scan, &number, -1) > 0;
    if (good && (take(scan, 'e') || take(scan, 'E'))) {
        const bool down = take(scan, '-');
        if (!down)
            take(scan, '+');
        good = take_digits(scan, &power, 0) > 0;
        if (power.digits > LARGEST_EXPONENT || power.exponent > 0)
            power.digits = LARGEST_EXPONENT;
        number.exponent += down ? -(int)power.digits : (int)power.digits;
    }
    *out = negative ? -value_of(&number) : value_of(&number);
    return good || clg_json_scan_fail(scan, "expected a number");
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
