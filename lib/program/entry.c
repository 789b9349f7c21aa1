/* SPDX-License-Identifier: Apache-2.0
 * The bytes of one file of the program cache. */
#include "program/entry.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static const char magic[8] = {'c', 'l', 'g', 'e', 'm', 'm', '\r', '\n'};

enum { FORMAT_AT = 8, KEY_SIZE_AT = 12, PROGRAM_SIZE_AT = 16, KEY_AT = 24, LONGEST_KEY = 1 << 16 };

static void put(unsigned char *to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get(const unsigned char *from, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

unsigned char *clg_entry_head(const struct clg_entry *entry, size_t *size) {
    if (entry->key_size == 0 || entry->key_size > LONGEST_KEY)
        return NULL;
    const size_t checksum_at = KEY_AT + entry->key_size;
    unsigned char *head = malloc(checksum_at + CLG_HASH_BYTES);
    if (!head)
        return NULL;
    memcpy(head, magic, sizeof magic);
    put(head + FORMAT_AT, CLG_ENTRY_FORMAT, 4);
    put(head + KEY_SIZE_AT, entry->key_size, 4);
    put(head + PROGRAM_SIZE_AT, entry->program_size, 8);
    memcpy(head + KEY_AT, entry->key, entry->key_size);
    const struct clg_hash checksum =
        clg_hash_of(head, checksum_at, entry->program, entry->program_size);
    memcpy(head + checksum_at, checksum.bytes, CLG_HASH_BYTES);
    *size = checksum_at + CLG_HASH_BYTES;
    return head;
}

const char *clg_entry_parse(struct clg_entry *out, const unsigned char *bytes, size_t size) {
    if (size < KEY_AT || memcmp(bytes, magic, sizeof magic) != 0)
        return "is not an entry";
    if (get(bytes + FORMAT_AT, 4) != CLG_ENTRY_FORMAT)
        return "has another format version";
    const uint64_t key_size = get(bytes + KEY_SIZE_AT, 4);
    const uint64_t program_size = get(bytes + PROGRAM_SIZE_AT, 8);
    if (key_size == 0 || key_size > LONGEST_KEY || size < KEY_AT + key_size + CLG_HASH_BYTES ||
        program_size != size - KEY_AT - key_size - CLG_HASH_BYTES)
        return "is truncated or too long";
    const unsigned char *checksum = bytes + KEY_AT + key_size;
    const unsigned char *program = checksum + CLG_HASH_BYTES;
    const struct clg_hash found =
        clg_hash_of(bytes, KEY_AT + (size_t)key_size, program, (size_t)program_size);
    if (memcmp(found.bytes, checksum, CLG_HASH_BYTES) != 0)
        return "fails its checksum";
    *out = (struct clg_entry){.key = (const char *)bytes + KEY_AT,
                              .key_size = (size_t)key_size,
                              .program = program,
                              .program_size = (size_t)program_size};
    return NULL;
}
