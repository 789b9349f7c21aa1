/* SPDX-License-Identifier: Apache-2.0
 * Copies of columns. */
#include "base/copy.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>

/* Shorter ones leave too much of their first and last cache line to plain stores. */
enum { LEAST = 512, LINE = 64, VECTOR = 16 };

static void stream(char *to, const char *from, size_t bytes) {
    if (bytes >= LEAST) {
        const size_t head = (size_t)(-(uintptr_t)to % LINE);
        memcpy(to, from, head);
        to += head;
        from += head;
        bytes -= head;
        for (; bytes >= LINE; bytes -= LINE, to += LINE, from += LINE)
            for (int i = 0; i < LINE; i += VECTOR)
                _mm_stream_si128((__m128i *)(void *)(to + i),
                                 _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
    }
    memcpy(to, from, bytes);
}

static void end_stream(void) {
    _mm_sfence();
}
#else
static void stream(char *to, const char *from, size_t bytes) {
    memcpy(to, from, bytes);
}

static void end_stream(void) {
}
#endif

void clg_copy_columns(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes,
                      size_t columns) {
    if (to_pitch == bytes && from_pitch == bytes) {
        bytes *= columns;
        columns = 1;
    }
    for (size_t i = 0; i < columns; i++)
        stream((char *)to + i * to_pitch, (const char *)from + i * from_pitch, bytes);
    end_stream();
}
