/* SPDX-License-Identifier: Apache-2.0
 * NVIDIA's libcuda. */
#define _GNU_SOURCE /* RTLD_NOLOAD, dl_iterate_phdr */
#include "device/cuda.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

static const char library_name[] = "libcuda.so.1";

void clg_cuda_close(struct clg_cuda *cuda) {
    if (cuda->library)
        dlclose(cuda->library);
    cuda->library = NULL;
}

/* It stays loaded, because it may have started threads. */
bool clg_cuda_open(struct clg_cuda *cuda) {
    cuda->library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    bool whole = cuda->library != NULL;
    /* POSIX allows this void pointer to be a function's, but C has no cast for it. */
#define CUDA_FIND(name, symbol, arguments)              \
    if (whole) {                                        \
        void *found = dlsym(cuda->library, symbol);     \
        memcpy(&cuda->name, &found, sizeof cuda->name); \
        whole = found != NULL;                          \
    }
    CLG_CUDA_FUNCTIONS(CUDA_FIND)
#undef CUDA_FIND
    if (whole && cuda->init(0) == 0)
        return true;
    clg_cuda_close(cuda);
    return false;
}

/* ---- Pointers ---- */

enum { CONTEXT = 1, MEMORY_TYPE = 2, BUFFER = 7, IS_MANAGED = 8 }; /* attributes */
enum { TYPE_HOST = 1 };

typedef clg_cuda_result pointer_fn(void *data, int attribute, unsigned long long pointer);

static int take_loads(struct dl_phdr_info *object, size_t size, void *loads) {
    (void)size;
    *(unsigned long long *)loads = object->dlpi_adds;
    return 1; /* the count is the same for every object */
}

/* cuPointerGetAttribute, or NULL. Once found, it is remembered. The search is repeated only if the
 * process has loaded an object since, because the loader opens the file even with RTLD_NOLOAD. */
static pointer_fn *pointer_attribute(void) {
    static pointer_fn *known;
    static unsigned long long without; /* the number of loads so far when it was not found */
    unsigned long long loads = 0;
    pointer_fn *function = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (function)
        return function;
    dl_iterate_phdr(take_loads, &loads);
    if (loads == __atomic_load_n(&without, __ATOMIC_RELAXED))
        return NULL;
    void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | RTLD_NOLOAD);
    void *found = library ? dlsym(library, "cuPointerGetAttribute") : NULL;
    if (library)
        dlclose(library); /* RTLD_NODELETE: it stays loaded */
    if (!found) {
        __atomic_store_n(&without, loads, __ATOMIC_RELAXED);
        return NULL;
    }
    memcpy(&function, &found, sizeof function);
    __atomic_store_n(&known, function, __ATOMIC_RELAXED);
    return function;
}

/* The context and the allocation of an address in pinned host memory. */
struct pinned {
    const void *context;
    unsigned long long buffer;
};

static bool ask(pointer_fn *get, const void *address, struct pinned *out) {
    const unsigned long long pointer = (uintptr_t)address;
    unsigned type = 0, managed = 0; /* managed memory can move */
    return get(&type, MEMORY_TYPE, pointer) == 0 && type == TYPE_HOST &&
           get((void *)&out->context, CONTEXT, pointer) == 0 &&
           get(&out->buffer, BUFFER, pointer) == 0 && get(&managed, IS_MANAGED, pointer) == 0 &&
           !(managed & 1);
}

bool clg_cuda_pins(const void *first, const void *last, const void **owner) {
    pointer_fn *get = pointer_attribute();
    struct pinned begin, end;
    if (!get || !ask(get, first, &begin) || !ask(get, last, &end) || begin.buffer != end.buffer)
        return false;
    *owner = begin.context;
    return true;
}
