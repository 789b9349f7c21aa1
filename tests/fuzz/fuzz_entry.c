/* SPDX-License-Identifier: Apache-2.0
 * Entries of the program cache: the input as it is, and with a valid checksum, to reach the code
 * behind the checksum. */
#include "program/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "fuzz.h"

enum { FIXED = 24, KEY_SIZE_AT = 16 }; /* as in entry.h */

static void check(const uint8_t *bytes, size_t size) {
    struct clg_entry entry;
    size_t head_size;
    if (clg_entry_parse(&entry, bytes, size))
        return;
    FUZZ_CHECK((const uint8_t *)entry.key >= bytes && entry.program >= bytes);
    FUZZ_CHECK(entry.program + entry.program_size == bytes + size);
    unsigned char *head = clg_entry_head(&entry, &head_size);
    FUZZ_CHECK(head && head_size + entry.program_size == size &&
               memcmp(head, bytes, head_size) == 0);
    free(head);
}

/* Where the checksum is, according to the key's size. */
static size_t checksum_at(const uint8_t *bytes, size_t size) {
    uint64_t key = 0;
    for (int i = 3; i >= 0 && size > FIXED; i--)
        key = key << 8 | bytes[12 + i];
    return FIXED + (size_t)key;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    check(data, size);
    const size_t at = checksum_at(data, size);
    if (at + CLG_HASH_BYTES > size)
        return 0;
    uint8_t *bytes = (uint8_t *)fuzz_text(data, size);
    const struct clg_hash hash =
        clg_hash_of(data, at, data + at + CLG_HASH_BYTES, size - at - CLG_HASH_BYTES);
    memcpy(bytes + at, &hash, CLG_HASH_BYTES);
    check(bytes, size);
    free(bytes);
    return 0;
}
