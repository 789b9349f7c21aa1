/* SPDX-License-Identifier: Apache-2.0
 * NVIDIA's libcuda, which is part of all their drivers, loaded when it is needed. The library is
 * built and works without it. */
#ifndef CLG_DEVICE_CUDA_H
#define CLG_DEVICE_CUDA_H

#include <stdbool.h>
#include <stddef.h>

/* The types of cuda.h, which is not needed to build this library. */
typedef int clg_cuda_result, clg_cuda_device;
typedef struct clg_cuda_any_context *clg_cuda_context;
typedef struct clg_cuda_any_link *clg_cuda_link;

/* The symbols with the version suffixes that cuda.h gives to the plain names. */
#define CLG_CUDA_FUNCTIONS(X)                                                       \
    X(init, "cuInit", (unsigned))                                                   \
    X(count, "cuDeviceGetCount", (int *))                                           \
    X(get, "cuDeviceGet", (clg_cuda_device *, int))                                 \
    X(attribute, "cuDeviceGetAttribute", (int *, int, clg_cuda_device))             \
    X(retain, "cuDevicePrimaryCtxRetain", (clg_cuda_context *, clg_cuda_device))    \
    X(release, "cuDevicePrimaryCtxRelease_v2", (clg_cuda_device))                   \
    X(push, "cuCtxPushCurrent_v2", (clg_cuda_context))                              \
    X(pop, "cuCtxPopCurrent_v2", (clg_cuda_context *))                              \
    X(link, "cuLinkCreate_v2", (unsigned, int *, void **, clg_cuda_link *))         \
    X(add, "cuLinkAddData_v2",                                                      \
      (clg_cuda_link, int, void *, size_t, const char *, unsigned, int *, void **)) \
    X(complete, "cuLinkComplete", (clg_cuda_link, void **, size_t *))               \
    X(destroy, "cuLinkDestroy", (clg_cuda_link))

struct clg_cuda {
    void *library; /* NULL: not open */
/* NOLINTNEXTLINE(bugprone-macro-parentheses): parts of a declaration */
#define CLG_CUDA_POINTER(name, symbol, arguments) clg_cuda_result(*name) arguments;
    CLG_CUDA_FUNCTIONS(CLG_CUDA_POINTER)
#undef CLG_CUDA_POINTER
};

/* Loads and initializes it. False if it is missing or too old. It stays loaded. */
bool clg_cuda_open(struct clg_cuda *out);
void clg_cuda_close(struct clg_cuda *cuda);

/* Whether host memory, from its first byte to its last, is one allocation that CUDA has pinned or
 * mapped for devices. Then *owner is the context that did it. Asks libcuda only if the process has
 * loaded it, because only libcuda pins memory. Needs no current context. See
 * "cuPointerGetAttribute" in the reference of the CUDA driver API. */
bool clg_cuda_pins(const void *first, const void *last, const void **owner);

#endif
