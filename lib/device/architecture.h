/* SPDX-License-Identifier: Apache-2.0
 * What OpenCL does not report of a device, by its architecture: registers, rates, and what compute
 * units share. A table of vendors' figures, and careful guesses where no row is for the device.
 * Pure. */
#ifndef CLG_DEVICE_ARCHITECTURE_H
#define CLG_DEVICE_ARCHITECTURE_H

#include <stdbool.h>
#include <stdint.h>

/* "Compute unit" is what the runtime counts as one: an SM of NVIDIA's, an execution unit (EU) of
 * Intel's, a pair of compute units of AMD's RDNA with AMD's own runtime. Of devices that are not
 * GPUs only name, lanes, doubles, halves, local_units and memory_rate are known, others are 0. No
 * member of a GPU is 0, except doubles. */
struct clg_architecture {
    const char *name;        /* "ampere"; "unknown": all is a careful guess; "cpu" */
    uint32_t registers;      /* 32-bit registers that a work-item may have */
    uint32_t unit_registers; /* 32-bit registers of a compute unit */
    uint32_t simd;           /* work-items in lockstep, as the compiler mostly has them */
    uint32_t lanes;          /* FP32 multiply-adds of a compute unit in a clock, by plain
                                instructions: neither packed nor on tensor cores */
    double doubles, halves;  /* rates of arithmetic on FP64 and FP16, relative to FP32 */
    uint32_t local_rate;     /* bytes that a compute unit reads from local memory in a clock */
    uint64_t unit_local;     /* bytes of local memory for all groups at a time on the local_units */
    uint32_t local_units;    /* compute units that share it: more than 1 on Intel's */
    bool local_dedicated;    /* local memory is memory of its own, not a part of global memory */
    double memory_rate;      /* bytes a second from the device's memory, as slower devices of the
                                architecture with so many units have */
};

/* What a GPU's driver reports. */
struct clg_gpu_report {
    const char *name, *vendor, *platform, *version; /* `version`: of OpenCL */
    uint32_t capability;    /* NVIDIA's, 10 * major + minor; 0 if it is not reported, */
    uint32_t intel_version; /* as is CL_DEVICE_IP_VERSION_INTEL */
    uint32_t compute_units;
    uint64_t local_memory;
    bool local_is_dedicated, has_fp64;
};

struct clg_architecture clg_architecture_of(const struct clg_gpu_report *report);

/* That of a device of another kind: "cpu", "accelerator" ... */
struct clg_architecture clg_architecture_of_kind(const char *kind, uint32_t lanes, bool has_fp64);

#endif
