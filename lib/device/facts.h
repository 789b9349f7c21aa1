/* SPDX-License-Identifier: Apache-2.0
 * The properties of a device. They are queried once and are plain data afterwards, so that plans
 * can be made and tested without a device. */
#ifndef CLG_DEVICE_FACTS_H
#define CLG_DEVICE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "device/opencl.h"

enum clg_device_kind { CLG_DEVICE_CPU, CLG_DEVICE_GPU, CLG_DEVICE_ACCELERATOR };

enum { CLG_FACT_TEXT = 256 };

/* Compute capabilities of NVIDIA's data center GPUs. */
enum { CLG_AMPERE = 80, CLG_HOPPER = 90, CLG_BLACKWELL = 100 };

/* The build option of cl_nv_compiler_options that limits the registers of a work-item. A number
 * follows. */
#define CLG_REGISTERS_OPTION "-cl-nv-maxrregcount="

/* The build option that makes Intel's compiler take sub-groups of a size, which follows with a ")".
 * It adds an attribute to each kernel's own. */
#define CLG_SUB_GROUP_OPTION \
    "-Dreqd_work_group_size(x,y,z)=reqd_work_group_size(x,y,z),intel_reqd_sub_group_size("

/* What OpenCL does not report of a device, by its architecture.
 *
 * "Compute unit" is what the runtime counts as one: an SM of NVIDIA's, an execution unit (EU) of
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

struct clg_facts {
    enum clg_device_kind kind;
    char name[CLG_FACT_TEXT], vendor[CLG_FACT_TEXT];
    char version[CLG_FACT_TEXT], driver[CLG_FACT_TEXT];
    char platform[CLG_FACT_TEXT], platform_version[CLG_FACT_TEXT];
    bool available, has_compiler;
    bool shares_host_memory;
    bool takes_pointers;      /* kernel arguments may be pointers (any SVM of OpenCL 2.0) */
    bool takes_host_pointers; /* any host pointer (fine-grain system SVM) */
    bool local_is_dedicated;  /* local memory is separate, faster memory (CL_LOCAL) */
    bool fast_fma;            /* fma() is one instruction */
    bool has_fp64;            /* arithmetic on doubles */
    bool has_fp16;            /* FP16 arithmetic (cl_khr_fp16), not only FP16 loads and stores */
    uint32_t capability;      /* NVIDIA's compute capability, 10 * major + minor; 0 for others */
    bool bounds_registers;    /* the compiler accepts CLG_REGISTERS_OPTION */
    bool tensor_cores;        /* Hopper's wgmma, until a probe shows that it does not work */
    bool mma;                 /* NVIDIA's mma.sync: from capability 8.0 on */
    bool mma_pays; /* known to compute at least five products per multiply-add: capability 8.0 (16)
                      and 9.0 (8). Others (2 to 4, or unknown) are measured. Source: CUDA C++
                      Programming Guide */
    bool tensor_maps;  /* the driver's assembler interprets them as PTX 8.5 says (CUDA 12.5) */
    bool async_copies; /* NVIDIA's cp.async: from capability 8.0 on, until a probe fails */
    uint32_t compute_units, clock_mhz;
    uint32_t float_vector;   /* native vector width, in floats; at least 1 */
    uint32_t sub_group;      /* size that the compiler must be told; 0: it need not be told */
    uint32_t exchange;       /* the least such size whose work-items can read the registers of 8
                                neighbours; 0: none */
    uint32_t base_alignment; /* of buffers, in bytes */
    uint64_t global_memory, local_memory, max_allocation; /* bytes */
    uint64_t workspace_max; /* limit of a call's workspace, in bytes */
    uint64_t first_cache;   /* of a CPU: bytes of a core's L1 data cache, */
    uint64_t core_cache;    /* and of its L2 cache; 0 if unknown */
    uint64_t max_work_group;
    uint64_t max_work_items[3];
    struct clg_architecture arch;
    double dots; /* products of signed bytes in the time of an FP32 multiply-add, by an instruction
                    for four, if there is one */
};

/* Rates of a device, per second, as measured by device/probe.h: products of FP16 with FP32
 * accumulation on tensor cores (PTX's mma.sync), and FP32 fused multiply-adds. */
struct clg_rates {
    double products, multiply_adds;
};

/* "cpu", "gpu" or "accelerator". */
const char *clg_device_kind_name(enum clg_device_kind kind);

/* Whether the driver of a platform version such as "OpenCL 3.0 CUDA 12.5.40" has an assembler that
 * takes the strides of a tensor map in bytes. Before CUDA 12.5 they were units of 16 bytes (CUTLASS
 * 3.5). */
bool clg_facts_sets_tensor_maps(const char *platform_version);

/* Whether the runtime of a platform of that name is known to work after exit() has begun. Intel's
 * for CPUs (2026.2) has destroyed by then what a launch needs, and crashes. */
bool clg_facts_works_at_exit(const char *platform);

/* The architecture of a device whose other facts are known. `intel_version` is
 * CL_DEVICE_IP_VERSION_INTEL, or 0. */
struct clg_architecture clg_facts_architecture(const struct clg_facts *facts,
                                               uint32_t intel_version);

/* clg_facts.dots. `reported`: the driver says that there is such an instruction. */
double clg_facts_dots(const struct clg_facts *facts, bool reported);

/* Queries the device. Fails with the OpenCL code of the first query that fails. */
clgemm_status clg_facts_query(cl_device_id id, struct clg_facts *out);

#endif
