/* SPDX-License-Identifier: Apache-2.0
 * Text that may not be UTF-8: names from drivers, and files that anyone may have written. */
#ifndef CLG_BASE_UTF8_H
#define CLG_BASE_UTF8_H

#include <stddef.h>

/* U+FFFD, which replaces each byte that is not UTF-8. */
#define CLG_UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Bytes of the first character of a text (1 at its end). 0 if it is not valid: overlong encodings,
 * surrogates and values above U+10FFFF are invalid (RFC 3629, section 4). */
size_t clg_utf8_length(const char *text);

/* Copies a text as UTF-8, cut to `size` bytes without splitting a character. Returns `out`. */
char *clg_utf8_copy(char *out, size_t size, const char *text);

#endif
