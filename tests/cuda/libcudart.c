/* SPDX-License-Identifier: Apache-2.0
 * A stand-in for CUDA's runtime, with one device whose memory is the host's. Calls return a
 * cudaError_t, of which 0 is success. */
#include <stdlib.h>
#include <string.h>

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2 };

int cudaSetDevice(int device);
int cudaDeviceGetByPCIBusId(int *device, const char *bus);
int cudaDeviceGetPCIBusId(char *bus, int room, int device);
int cudaRuntimeGetVersion(int *version);
int cudaDeviceSynchronize(void);
int cudaMalloc(void **out, size_t bytes);
int cudaFree(void *memory);
int cudaMallocHost(void **out, size_t bytes);
int cudaFreeHost(void *memory);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);

int cudaSetDevice(int device) {
    return device == 0 ? 0 : INVALID_VALUE;
}

/* No OpenCL device of a test is this device. */
int cudaDeviceGetByPCIBusId(int *device, const char *bus) {
    (void)device;
    (void)bus;
    return INVALID_VALUE;
}

int cudaDeviceGetPCIBusId(char *bus, int room, int device) {
    const char *name = "0000:00:00.0";
    if (device || (size_t)room <= strlen(name))
        return INVALID_VALUE;
    memcpy(bus, name, strlen(name) + 1);
    return 0;
}

int cudaRuntimeGetVersion(int *version) {
    *version = 13000;
    return 0;
}

int cudaDeviceSynchronize(void) {
    return 0;
}

int cudaMalloc(void **out, size_t bytes) {
    *out = malloc(bytes);
    return *out ? 0 : OUT_OF_MEMORY;
}

int cudaFree(void *memory) {
    free(memory);
    return 0;
}

int cudaMallocHost(void **out, size_t bytes) {
    return cudaMalloc(out, bytes);
}

int cudaFreeHost(void *memory) {
    return cudaFree(memory);
}

int cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
    (void)kind;
    memcpy(to, from, bytes);
    return 0;
}
