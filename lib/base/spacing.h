/* SPDX-License-Identifier: Apache-2.0
 * Places that lie evenly apart. */
#ifndef CLG_BASE_SPACING_H
#define CLG_BASE_SPACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Place z of an array: bytes of an address, or elements of an offset. */
typedef uint64_t clg_place_of(const void *places, size_t z);

clg_place_of clg_place_of_pointer; /* of an array of pointers */
clg_place_of clg_place_of_offset;  /* of an array of size_t */

/* Whether they lie evenly, upwards, whole units apart; then *stride is how many. `unit`: what
 * places count, in units' parts. */
bool clg_are_even(const void *places, clg_place_of *place, size_t count, size_t unit,
                  int64_t *stride);

#endif
