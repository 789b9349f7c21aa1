/* SPDX-License-Identifier: Apache-2.0
 * The bytes of one file of the program cache.
 *
 *     offset  bytes  what
 *          0      8  "clgemm\r\n"
 *          8      4  format version       (numbers are little-endian)
 *         12      4  length of the key, K
 *         16      8  length of the program, P
 *         24      K  key (see program/key.h), without a final NUL
 *       24+K     16  checksum: XXH3-128 of everything before and after it
 *       40+K      P  the program, as the driver accepts it
 *
 * Nothing follows. A file is valid if every byte is accounted for and the checksum matches. */
#ifndef CLG_PROGRAM_ENTRY_H
#define CLG_PROGRAM_ENTRY_H

#include <stddef.h>

enum { CLG_ENTRY_FORMAT = 1 };

struct clg_entry {
    const char *key; /* key_size characters, no final NUL */
    size_t key_size;
    const unsigned char *program;
    size_t program_size;
};

/* Everything before the program, which the caller frees. NULL if memory is short or the key is
 * empty or too long. */
unsigned char *clg_entry_head(const struct clg_entry *entry, size_t *size);

/* Finds the parts in `bytes`, into which *out then points. Returns NULL, or the reason why the
 * bytes are invalid and must not reach a driver. */
const char *clg_entry_parse(struct clg_entry *out, const unsigned char *bytes, size_t size);

#endif
