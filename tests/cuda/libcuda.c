/* SPDX-License-Identifier: Apache-2.0
 * A stand-in for NVIDIA's libcuda (support/cuda.h). It only knows which memory is pinned, so it
 * cannot build programs. */
#include <stddef.h>
#include <stdint.h>

enum { MOST = 16 };
enum { INVALID_VALUE = 1 };
enum { CONTEXT = 1, MEMORY_TYPE = 2, BUFFER = 7, IS_MANAGED = 8 };

static struct {
    uintptr_t begin, end;
    const void *context;
} pinned[MOST];
static int count;

void clg_pin(const void *memory, size_t bytes, const void *context);
void clg_unpin_all(void);
int cuPointerGetAttribute(void *data, int attribute, unsigned long long pointer);

void clg_pin(const void *memory, size_t bytes, const void *context) {
    if (count == MOST)
        return;
    pinned[count].begin = (uintptr_t)memory;
    pinned[count].end = (uintptr_t)memory + bytes;
    pinned[count++].context = context;
}

void clg_unpin_all(void) {
    count = 0;
}

int cuPointerGetAttribute(void *data, int attribute, unsigned long long pointer) {
    int i = 0;
    while (i < count && (pointer < pinned[i].begin || pointer >= pinned[i].end))
        i++;
    if (i == count)
        return INVALID_VALUE;
    switch (attribute) {
    case CONTEXT:
        *(const void **)data = pinned[i].context;
        return 0;
    case MEMORY_TYPE:
        *(unsigned *)data = 1; /* the host's */
        return 0;
    case BUFFER:
        *(unsigned long long *)data = (unsigned long long)i + 1;
        return 0;
    case IS_MANAGED:
        *(unsigned *)data = 0;
        return 0;
    default:
        return INVALID_VALUE;
    }
}
