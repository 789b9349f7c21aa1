/* SPDX-License-Identifier: Apache-2.0
 * Arrays that grow. */
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

bool clg_array_reserve(void *array, size_t *room, size_t count, size_t size) {
    enum { LEAST = 16 };
    void *elements;
    size_t wanted = 2 * *room > LEAST ? 2 * *room : LEAST, bytes;
    if (count <= *room)
        return true;
    wanted = wanted > count ? wanted : count;
    if (__builtin_mul_overflow(wanted, size, &bytes))
        return false;
    memcpy(&elements, array, sizeof elements);
    if (!(elements = realloc(elements, bytes)))
        return false;
    memcpy(array, &elements, sizeof elements);
    *room = wanted;
    return true;
}
