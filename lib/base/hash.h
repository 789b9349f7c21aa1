/* SPDX-License-Identifier: Apache-2.0
 * A 128-bit hash against accidents (bad disks, cut files), not against attackers: XXH3. */
#ifndef CLG_BASE_HASH_H
#define CLG_BASE_HASH_H

#include <stddef.h>

enum { CLG_HASH_BYTES = 16, CLG_HASH_TEXT = 2 * CLG_HASH_BYTES + 1 };

struct clg_hash {
    unsigned char bytes[CLG_HASH_BYTES]; /* the same on every machine */
};

/* The hash of two byte sequences as if they were one. The second may be NULL with size 0. */
struct clg_hash clg_hash_of(const void *first, size_t first_size, const void *second,
                            size_t second_size);

/* As lower-case hexadecimal digits, NUL-terminated. */
void clg_hash_text(const struct clg_hash *hash, char out[CLG_HASH_TEXT]);

#endif
