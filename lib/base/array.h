/* SPDX-License-Identifier: Apache-2.0
 * Arrays that grow. */
#ifndef CLG_BASE_ARRAY_H
#define CLG_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `count` elements of `size` bytes. `array` is a pointer to the pointer to the
 * elements, and *room the present capacity, which at least doubles when it grows. False if memory
 * is short; then nothing has changed. The owner frees the array. */
bool clg_array_reserve(void *array, size_t *room, size_t count, size_t size);

#endif
