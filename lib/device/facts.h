/* SPDX-License-Identifier: Apache-2.0
 * What the library knows of a device: asked once, plain data after that, so that plans can be made
 * and tested without a device. */
#ifndef CLG_DEVICE_FACTS_H
#define CLG_DEVICE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "device/opencl.h"

enum clg_device_kind { CLG_DEVICE_CPU, CLG_DEVICE_GPU, CLG_DEVICE_ACCELERATOR };

enum { CLG_FACT_TEXT = 256 };

/* Compute capabilities of NVIDIA's large devices. */
enum { CLG_AMPERE = 80, CLG_HOPPER = 90, CLG_BLACKWELL = 100 };

/* The build option, of cl_nv_compiler_options, that bounds the registers of a work-item; a number
 * follows. */
#define CLG_REGISTERS_OPTION "-cl-nv-maxrregcount="

struct clg_facts {
    enum clg_device_kind kind;
    char name[CLG_FACT_TEXT], vendor[CLG_FACT_TEXT];
    char version[CLG_FACT_TEXT], driver[CLG_FACT_TEXT];
    char platform[CLG_FACT_TEXT], platform_version[CLG_FACT_TEXT];
    bool available, has_compiler;
    bool shares_host_memory;
    bool takes_pointers; /* kernel arguments may be pointers (OpenCL 2.0's SVM, in some form) */
    bool takes_host_pointers; /* any pointer of the host's (fine-grain system SVM) */
    bool local_is_dedicated;  /* local memory is its own, faster memory (CL_LOCAL) */
    bool fast_fma;            /* fma() is one instruction */
    bool has_fp64;            /* computes with doubles */
    bool has_fp16;         /* computes with halves (cl_khr_fp16), not only loads and stores them */
    uint32_t capability;   /* NVIDIA's compute capability, 10 * major + minor; 0 elsewhere */
    bool bounds_registers; /* its compiler takes CLG_REGISTERS_OPTION */
    bool tensor_cores;     /* Hopper's, until a probe shows that they cannot be used */
    bool mma;              /* NVIDIA's tensor cores by mma.sync: from Ampere on */
    bool mma_pays; /* these are known to make five products or more for each multiply-add (8.0: 16,
                      9.0: 8; others 2 to 4, or not known: CUDA C++ Programming Guide) */
    bool tensor_maps;  /* its driver's assembler sets them as PTX 8.5 says (CUDA 12.5) */
    bool async_copies; /* NVIDIA's, past the registers: from Ampere on, until a probe shows the same
                        */
    uint32_t compute_units, clock_mhz;
    uint32_t float_vector;   /* native vector width, in floats; at least 1 */
    uint32_t base_alignment; /* of buffers, in bytes */
    uint64_t global_memory, local_memory, max_allocation; /* bytes */
    uint64_t workspace_max; /* bytes that a call may take beside matrices that are in place */
    uint64_t first_cache;   /* of a CPU: bytes of a core's first cache for data, */
    uint64_t core_cache;    /* and of its second; 0 where not known */
    uint64_t max_work_group;
    uint64_t max_work_items[3];
};

/* What a device was measured to make (device/probe.h) in a second: products of halves that are
 * summed up as floats, by tensor cores (PTX's mma.sync), and fused multiply-adds of floats. */
struct clg_rates {
    double products, multiply_adds;
};

/* "cpu", "gpu" or "accelerator". */
const char *clg_device_kind_name(enum clg_device_kind kind);

/* Whether a driver whose platform calls itself so, "OpenCL 3.0 CUDA 12.5.40", has an assembler for
 * which strides of a tensor map are bytes: before CUDA 12.5 they were units of 16 (CUTLASS 3.5). */
bool clg_facts_sets_tensor_maps(const char *platform_version);

/* Asks the device. Fails with the OpenCL code of the first query that fails. */
clgemm_status clg_facts_query(cl_device_id id, struct clg_facts *out);

#endif
