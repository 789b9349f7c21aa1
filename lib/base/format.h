/* SPDX-License-Identifier: Apache-2.0
 * Text with numbers, numbers from text, and letters of either case, in the C locale: with decimal
 * points, whatever locale the program has set (other threads do not notice). The test `law` refuses
 * other ways in the library. The programs of this project set no locale. */
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

/* ---- Text that may not be UTF-8, as drivers' names and files of anyone ---- */

/* U+FFFD, which replaces each byte that is not UTF-8. */
#define CLG_UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Bytes of the first character of a text (1 at its end). 0 if it is not valid: overlong encodings,
 * surrogates and values above U+10FFFF are invalid (RFC 3629, section 4). */
size_t clg_utf8_length(const char *text);

/* Copies a text as UTF-8, cut to `size` bytes without splitting a character. Returns `out`. */
char *clg_utf8_copy(char *out, size_t size, const char *text);

#endif
