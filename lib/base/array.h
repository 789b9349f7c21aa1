/* SPDX-License-Identifier: Apache-2.0
 * Arrays that grow. */
#ifndef CLG_BASE_ARRAY_H
#define CLG_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room in `array` (a pointer to the pointer to its elements, of `size` bytes each) for
 * `count` of them, *room for twice as many as it had at the least. False where memory is short:
 * then nothing has changed. The owner frees the array. */
bool clg_array_reserve(void *array, size_t *room, size_t count, size_t size);

#endif
