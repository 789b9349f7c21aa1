/* SPDX-License-Identifier: Apache-2.0
 * Detects equal distances between places. */
#ifndef CLG_BASE_SPACING_H
#define CLG_BASE_SPACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Place z of an array: an address in bytes, or an offset in elements. */
typedef uint64_t clg_place_of(const void *places, size_t z);

clg_place_of clg_place_of_pointer; /* of an array of pointers */
clg_place_of clg_place_of_offset;  /* of an array of size_t */

/* Whether the places ascend at equal distances that are multiples of `unit`. Then *stride is the
 * distance in units. */
bool clg_are_even(const void *places, clg_place_of *place, size_t count, size_t unit,
                  int64_t *stride);

#endif
