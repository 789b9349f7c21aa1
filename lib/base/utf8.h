/* SPDX-License-Identifier: Apache-2.0
 * Text that may not be UTF-8: names that drivers give, and files that anyone wrote. */
#ifndef CLG_BASE_UTF8_H
#define CLG_BASE_UTF8_H

#include <stddef.h>

/* U+FFFD, which stands for each byte that is not UTF-8. */
#define CLG_UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Bytes of the character that a text begins with (1 at its end), 0 if it is none: overlong forms,
 * surrogates and values past U+10FFFF are none (RFC 3629, section 4). */
size_t clg_utf8_length(const char *text);

/* Copies a text as UTF-8, as much of it as fits `size` bytes without cutting a character; returns
 * `out`. */
char *clg_utf8_copy(char *out, size_t size, const char *text);

#endif
