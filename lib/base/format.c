/* SPDX-License-Identifier: Apache-2.0
 * Switches the thread to the C locale for a moment. Other threads do not notice. */
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
