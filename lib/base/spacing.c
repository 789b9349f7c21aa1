/* SPDX-License-Identifier: Apache-2.0
 * Detects equal distances between places. */
#include "base/spacing.h"

uint64_t clg_place_of_pointer(const void *places, size_t z) {
    return (uintptr_t)((const void *const *)places)[z];
}

uint64_t clg_place_of_offset(const void *places, size_t z) {
    return ((const size_t *)places)[z];
}

bool clg_are_even(const void *places, clg_place_of *place, size_t count, size_t unit,
                  int64_t *stride) {
    *stride = 0;
    if (count < 2)
        return true;
    const uint64_t first = place(places, 0), step = place(places, 1) - first;
    if (place(places, 1) < first || step % unit || step / unit > INT64_MAX)
        return false;
    for (size_t z = 2; z < count; z++)
        if (place(places, z) != first + z * step)
            return false;
    *stride = (int64_t)(step / unit);
    return true;
}
