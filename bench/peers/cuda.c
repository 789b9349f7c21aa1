/* SPDX-License-Identifier: Apache-2.0
 * What the peers from NVIDIA have in common. */
#include "bench/peers/cuda.h"

#include <stdio.h>

enum { CUDA_NO_MEMORY = 2 };

/* The address on the PCI bus, from cl_khr_pci_bus_info and NVIDIA's cl_nv_device_attribute_query.
 */
enum {
    KHR_PCI_BUS_INFO = 0x410F,
    NV_PCI_BUS = 0x4008,
    NV_PCI_SLOT = 0x4009,
    NV_PCI_DOMAIN = 0x400A
};
struct pci {
    cl_uint domain, bus, device, function;
};

void *cuda_load(struct contender *c, struct cuda *out, void **runtime) {
    static const char *const runtimes[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so",
                                           NULL};
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so", NULL};
    *runtime = contender_library(c, runtimes);
    void *cublas = *runtime ? contender_library(c, names) : NULL;
    return cublas && contender_symbol(c, *runtime, "cudaSetDevice", &out->set_device) &&
                   contender_symbol(c, *runtime, "cudaDeviceGetByPCIBusId", &out->by_bus) &&
                   contender_symbol(c, *runtime, "cudaDeviceGetPCIBusId", &out->get_bus)
               ? cublas
               : NULL;
}

/* The CUDA number of the device at that address, or -1. */
static int cuda_device_at(const struct cuda *s, struct pci at) {
    char name[48];
    int device;
    snprintf(name, sizeof name, "%04x:%02x:%02x.%x", at.domain, at.bus, at.device, at.function);
    return s->by_bus(&device, name) ? -1 : device;
}

/* The CUDA number of an OpenCL device; -1 if it is not an NVIDIA device that CUDA sees. */
static int cuda_device(const struct cuda *s, cl_device_id id) {
    struct pci at = {0};
    cl_uint slot;
    int device = -1;
    if (!clGetDeviceInfo(id, KHR_PCI_BUS_INFO, sizeof at, &at, NULL))
        device = cuda_device_at(s, at);
    at = (struct pci){0};
    if (device >= 0 || clGetDeviceInfo(id, NV_PCI_BUS, sizeof at.bus, &at.bus, NULL) ||
        clGetDeviceInfo(id, NV_PCI_SLOT, sizeof slot, &slot, NULL))
        return device;
    clGetDeviceInfo(id, NV_PCI_DOMAIN, sizeof at.domain, &at.domain, NULL); /* newer drivers only */
    /* NVIDIA does not document the slot: some drivers report the device's number, others eight
     * times that plus the function's number. A graphics card computes with function 0. */
    at.device = slot;
    if ((device = cuda_device_at(s, at)) < 0) {
        at.device = slot >> 3;
        at.function = slot & 7;
        device = cuda_device_at(s, at);
    }
    return device;
}

bool cuda_choose(struct contender *c, const struct cuda *cuda, int *device) {
    *device = cuda_device(cuda, c->device->open->id);
    const int status = cuda->set_device(*device < 0 ? 0 : *device);
    if (status)
        contender_say(c, OUTCOME_SKIPPED, "cudaSetDevice: status %d", status);
    return status == 0;
}

int cuda_list(const struct contender *c, const struct cuda *cuda, int devices[]) {
    int count = 0;
    cl_device_id id;
    for (int i = 0; i < CLG_DEVICES_MOST && (id = device_id(c->device, i)); i++) {
        const int device = cuda_device(cuda, id);
        if (device >= 0)
            devices[count++] = device;
    }
    return count;
}

void cuda_about(struct contender *c, const struct cuda *cuda, int device, int version) {
    char bus[32] = "?";
    cuda->get_bus(bus, sizeof bus, device < 0 ? 0 : device);
    snprintf(c->about, sizeof c->about, "%d, on PCI device %s%s", version, bus,
             device < 0 ? ", which is not the OpenCL device" : "");
}

/* A CUDA status as an outcome; lack of memory is a skip. */
enum outcome cuda_outcome(struct contender *c, const char *call, int status) {
    if (!status)
        return OUTCOME_OK;
    return contender_say(c, status == CUDA_NO_MEMORY ? OUTCOME_SKIPPED : OUTCOME_FAILED,
                         "%s: status %d", call, status);
}
