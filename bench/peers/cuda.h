/* SPDX-License-Identifier: Apache-2.0
 * What the peers from NVIDIA have in common: CUDA's runtime and cuBLAS, opened at run time. */
#ifndef BENCH_PEERS_CUDA_H
#define BENCH_PEERS_CUDA_H

#include "bench/peers/contender.h"
#include "device/select.h"

/* From CUDA's interfaces: transposes, for cuBLAS. Status 0 is success everywhere. */
enum { CUDA_N, CUDA_T, CUDA_C };

static inline int cuda_transpose(clgemm_transpose transpose) {
    return transpose == CLGEMM_NO_TRANS ? CUDA_N : transpose == CLGEMM_TRANS ? CUDA_T : CUDA_C;
}

struct cuda {
    int (*set_device)(int device);
    int (*by_bus)(int *device, const char *bus);
    int (*get_bus)(char *bus, int room, int device);
};

/* Opens both libraries; returns cuBLAS, and CUDA's runtime in *runtime, or NULL. */
void *cuda_load(struct contender *contender, struct cuda *out, void **runtime);

/* Chooses the CUDA device that is the OpenCL device, or else CUDA's first; *device is its number,
 * or -1. False if there is none. */
bool cuda_choose(struct contender *contender, const struct cuda *cuda, int *device);

/* The CUDA numbers of the handle's devices, at most CLG_DEVICES_MOST. Returns how many CUDA sees.
 */
int cuda_list(const struct contender *contender, const struct cuda *cuda, int devices[]);

/* Notes which version runs on which device. */
void cuda_about(struct contender *contender, const struct cuda *cuda, int device, int version);

/* A CUDA status as an outcome; lack of memory is a skip. */
enum outcome cuda_outcome(struct contender *contender, const char *call, int status);

#endif
