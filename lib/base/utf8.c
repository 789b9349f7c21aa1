/* SPDX-License-Identifier: Apache-2.0
 * Text that may not be UTF-8. */
#include "base/utf8.h"

#include <string.h>

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
