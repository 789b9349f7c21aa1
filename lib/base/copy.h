/* SPDX-License-Identifier: Apache-2.0
 * Copies of columns that are used soon by a device, or not at all soon. */
#ifndef CLG_BASE_COPY_H
#define CLG_BASE_COPY_H

#include <stddef.h>

/* Copies `columns` of so many bytes each, which lie `pitch` bytes apart on either side, and nothing
 * between them. Past the caches where that pays (x86-64, not too short): what goes out at once need
 * not come in first. What another thread then reads after an acquire of this one's release is what
 * was copied. */
void clg_copy_columns(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes,
                      size_t columns);

#endif
