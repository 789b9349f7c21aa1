/* SPDX-License-Identifier: Apache-2.0
 * Copies of columns, and pages of memory. */
#define _GNU_SOURCE /* mincore, MADV_HUGEPAGE */
#include "base/copy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __x86_64__
#include <immintrin.h>

/* In shorter columns, too much belongs to the first and last cache line, which plain stores write.
 */
enum { LEAST = 512, LINE = 64, STRIDE = 128 };

/* Both copy a multiple of STRIDE bytes to the start of a cache line. */
static void stream_by_16(char *to, const char *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += sizeof(__m128i))
        _mm_stream_si128((__m128i *)(void *)(to + i),
                         _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
}

/* Faster than 16 bytes at a time if columns are short. */
__attribute__((target("avx"))) static void stream_by_32(char *to, const char *from, size_t bytes) {
    for (; bytes > 0; bytes -= STRIDE, to += STRIDE, from += STRIDE)
        for (int i = 0; i < STRIDE; i += (int)sizeof(__m256i))
            _mm256_stream_si256((__m256i *)(void *)(to + i),
                                _mm256_loadu_si256((const __m256i *)(const void *)(from + i)));
}

static void copy_column(char *to, const char *from, size_t bytes, bool has_avx) {
    if (bytes >= LEAST) {
        const size_t head = (size_t)(-(uintptr_t)to % LINE);
        const size_t middle = (bytes - head) / STRIDE * STRIDE;
        memcpy(to, from, head);
        (has_avx ? stream_by_32 : stream_by_16)(to + head, from + head, middle);
        to += head + middle;
        from += head + middle;
        bytes -= head + middle;
    }
    memcpy(to, from, bytes);
}

static bool find_avx(void) {
    return __builtin_cpu_supports("avx");
}

static void end_streams(void) {
    _mm_sfence();
}
#else
static void copy_column(char *to, const char *from, size_t bytes, bool has_avx) {
    (void)has_avx;
    memcpy(to, from, bytes);
}

static bool find_avx(void) {
    return false;
}

static void end_streams(void) {
}
#endif

/* Makes one column of those that are contiguous on both sides. */
static void join(size_t to_pitch, size_t from_pitch, size_t *bytes, size_t *columns) {
    if (to_pitch != *bytes || from_pitch != *bytes)
        return;
    *bytes *= *columns;
    *columns = 1;
}

void clg_copy_columns(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes,
                      size_t columns) {
    const bool has_avx = find_avx();
    join(to_pitch, from_pitch, &bytes, &columns);
    for (size_t i = 0; i < columns; i++)
        copy_column((char *)to + i * to_pitch, (const char *)from + i * from_pitch, bytes, has_avx);
    end_streams();
}

void clg_copy_columns_for_bus(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t bytes, size_t columns, int threads) {
    enum { MANY = 8 };
    if (threads < MANY) {
        clg_copy_columns(to, to_pitch, from, from_pitch, bytes, columns);
        return;
    }
    join(to_pitch, from_pitch, &bytes, &columns);
    for (size_t i = 0; i < columns; i++)
        memcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, bytes);
}

/* ---- Pages ---- */

/* The size on x86-64, and on ARM with 4 KiB pages. With larger huge pages, the system uses those
 * that fit. */
enum { HUGE = 2 << 20, SAMPLES = 16 };

/* Whether most of a few sample pages are not resident. */
static bool is_fresh(uintptr_t begin, uintptr_t end) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    int absent = 0;
    for (uintptr_t i = 0; i < SAMPLES; i++) {
        const uintptr_t at = (begin + (end - begin) / SAMPLES * i) / page * page;
        unsigned char there = 1;
        absent += mincore((void *)at, page, &there) == 0 && !(there & 1);
    }
    return absent > SAMPLES / 2;
}

void clg_pages_prepare(void *memory, size_t bytes) {
    const uintptr_t begin = ((uintptr_t)memory + HUGE - 1) / HUGE * HUGE;
    const uintptr_t end = ((uintptr_t)memory + bytes) / HUGE * HUGE;
    const int error = errno;
    if (bytes >= CLG_PAGES_LEAST && is_fresh(begin, end))
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    errno = error;
}
