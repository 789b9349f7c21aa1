/* SPDX-License-Identifier: Apache-2.0
 * Text in the C locale, to which the thread is switched for a moment, and UTF-8. */
#define _GNU_SOURCE /* newlocale, uselocale, strcasestr */
#include "base/format.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the thread's locale, for uselocale(). C libraries have a static object for "C"; one that
 * allocates it, and cannot, leaves the thread's locale. */
static locale_t enter(void) {
    static locale_t plain; /* atomic; never freed */
    locale_t known = __atomic_load_n(&plain, __ATOMIC_ACQUIRE);
    if (!known) {
        known = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        __atomic_store_n(&plain, known, __ATOMIC_RELEASE);
    }
    return uselocale(known);
}

int clg_format_args(char *out, size_t size, const char *format, va_list args) {
    const locale_t before = enter();
    const int length = vsnprintf(out, size, format, args);
    uselocale(before);
    return length;
}

int clg_format(char *out, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int length = clg_format_args(out, size, format, args);
    va_end(args);
    return length;
}

double clg_read_number(const char *text, char **end) {
    const locale_t before = enter();
    const double value = strtod(text, end);
    uselocale(before);
    return value;
}

const char *clg_find_text(const char *text, const char *part) {
    const locale_t before = enter();
    const char *found = strcasestr(text, part);
    uselocale(before);
    return found;
}

/* ---- UTF-8 ---- */

size_t clg_utf8_length(const char *text) {
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned char first = bytes[0], low = 0x80, high = 0xbf;
    const size_t length = first < 0x80                     ? 1
                          : first >= 0xc2 && first <= 0xdf ? 2
                          : first >= 0xe0 && first <= 0xef ? 3
                          : first >= 0xf0 && first <= 0xf4 ? 4
                                                           : 0;
    if (first == 0xe0)
        low = 0xa0;
    else if (first == 0xed)
        high = 0x9f;
    else if (first == 0xf0)
        low = 0x90;
    else if (first == 0xf4)
        high = 0x8f;
    for (size_t i = 1; i < length; i++) { /* the final NUL is out of range */
        if (bytes[i] < low || bytes[i] > high)
            return 0;
        low = 0x80;
        high = 0xbf;
    }
    return length;
}

char *clg_utf8_copy(char *out, size_t size, const char *text) {
    size_t used = 0;
    while (*text) {
        const size_t length = clg_utf8_length(text);
        const char *from = length ? text : CLG_UTF8_REPLACEMENT;
        const size_t bytes = length ? length : strlen(CLG_UTF8_REPLACEMENT);
        if (used + bytes >= size)
            break;
        memcpy(out + used, from, bytes);
        used += bytes;
        text += length ? length : 1;
    }
    out[used] = '\0';
    return out;
}
