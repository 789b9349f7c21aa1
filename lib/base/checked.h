/* SPDX-License-Identifier: Apache-2.0
 * Arithmetic on sizes that reports overflow, and equal distances. */
#ifndef CLG_BASE_CHECKED_H
#define CLG_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Elements that a column-major matrix spans, plus `offset`: (cols - 1) * ld + rows, or 0 if it is
 * empty. False, with *out unset, if the count, or its bytes at `size` each, exceeds INT64_MAX. */
static inline bool clg_span(int64_t rows, int64_t cols, int64_t ld, uint64_t offset, size_t size,
                            int64_t *out) {
    int64_t span = 0, bytes;
    if (offset > (uint64_t)INT64_MAX)
        return false;
    if (rows > 0 && cols > 0 &&
        (__builtin_mul_overflow(cols - 1, ld, &span) || __builtin_add_overflow(span, rows, &span)))
        return false;
    if (__builtin_add_overflow(span, (int64_t)offset, &span) ||
        __builtin_mul_overflow(span, (int64_t)size, &bytes))
        return false;
    *out = span;
    return true;
}

/* n rounded up to a multiple of `unit`. The caller ensures that the result fits. */
static inline int64_t clg_round_up(int64_t n, int64_t unit) {
    return (n + unit - 1) / unit * unit;
}

/* n / d, rounded up. */
static inline int64_t clg_ceil_div(int64_t n, int64_t d) {
    return (n + d - 1) / d;
}

static inline int64_t clg_least(int64_t x, int64_t y) {
    return x < y ? x : y;
}

/* Place z of an array of pointers, or of offsets. */
static inline size_t clg_place(const void *places, size_t z) {
    size_t place;
    _Static_assert(sizeof place == sizeof(void *), "both are read alike");
    memcpy(&place, (const char *)places + z * sizeof place, sizeof place);
    return place;
}

/* Whether the places ascend at equal distances that are multiples of `unit`. Then *stride is the
 * distance in units. */
static inline bool clg_are_even(const void *places, size_t count, size_t unit, int64_t *stride) {
    *stride = 0;
    if (count < 2)
        return true;
    const size_t first = clg_place(places, 0), step = clg_place(places, 1) - first;
    const int64_t distance = (int64_t)(step / unit); /* negative: too far */
    if (clg_place(places, 1) < first || step % unit || distance < 0)
        return false;
    for (size_t z = 2; z < count; z++)
        if (clg_place(places, z) != first + z * step)
            return false;
    *stride = distance;
    return true;
}

#endif
