/* SPDX-License-Identifier: Apache-2.0
 * XXH3 from its header alone, so that the library needs no further shared library. */
#include "base/hash.h"

#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct clg_hash clg_hash_of(const void *first, size_t first_size, const void *second,
                            size_t second_size) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, first, first_size);
    if (second_size > 0)
        XXH3_128bits_update(&state, second, second_size);
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
    struct clg_hash hash;
    memcpy(hash.bytes, canonical.digest, sizeof hash.bytes);
    return hash;
}

void clg_hash_text(const struct clg_hash *hash, char out[CLG_HASH_TEXT]) {
    for (int i = 0; i < CLG_HASH_BYTES; i++)
        snprintf(out + 2 * (size_t)i, 3, "%02x", hash->bytes[i]);
}
