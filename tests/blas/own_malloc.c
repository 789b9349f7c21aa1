/* SPDX-License-Identifier: Apache-2.0
 * A malloc() of the program's own, preloaded as jemalloc is. Blocks are never used again, and the C
 * library's free() does not know them. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { LINE = 64, ROOM = 1 << 28 };
static char room[ROOM] __attribute__((aligned(4096)));
static size_t used; /* atomic */

/* A block with its size in the line before it. */
static void *block(size_t alignment, size_t size) {
    const size_t most = size + alignment + LINE;
    const size_t end = size < ROOM ? __atomic_add_fetch(&used, most, __ATOMIC_RELAXED) : ROOM;
    if (end >= ROOM) {
        errno = ENOMEM;
        return NULL;
    }
    char *start = room + (end - most + LINE + alignment - 1) / alignment * alignment;
    memcpy(start - LINE, &size, sizeof size);
    return start;
}

EXPORT void *malloc(size_t size) {
    return block(LINE, size);
}

EXPORT void *calloc(size_t count, size_t size) {
    return size && count > ROOM / size ? NULL : block(LINE, count * size);
}

EXPORT void *realloc(void *old, size_t size) {
    size_t before = 0;
    void *out = block(LINE, size);
    if (old)
        memcpy(&before, (char *)old - LINE, sizeof before);
    if (old && out)
        memcpy(out, old, before < size ? before : size);
    return out;
}

EXPORT void free(void *memory) {
    if (memory && ((char *)memory < room || (char *)memory >= room + ROOM))
        abort();
}

EXPORT void *aligned_alloc(size_t alignment, size_t size) {
    return block(alignment < LINE ? LINE : alignment, size);
}

EXPORT void *memalign(size_t alignment, size_t size) {
    return aligned_alloc(alignment, size);
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t size) {
    *out = aligned_alloc(alignment, size);
    return *out ? 0 : ENOMEM;
}
