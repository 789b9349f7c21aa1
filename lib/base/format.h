/* SPDX-License-Identifier: Apache-2.0
 * Text with numbers, numbers from text, and letters of either case, in the C locale: with decimal
 * points, whatever locale the program has set. The test `law` refuses other ways in the library.
 * The programs of this project set no locale. */
#ifndef CLG_BASE_FORMAT_H
#define CLG_BASE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* snprintf() and vsnprintf(). */
int clg_format(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int clg_format_args(char *out, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* strtod(). */
double clg_read_number(const char *text, char **end);

/* strcasestr(). In Turkish, I is not the capital of i. */
const char *clg_find_text(const char *text, const char *part);

#endif
