/* SPDX-License-Identifier: Apache-2.0
 * Personas: devices as published reports describe them (docs/testing.md).
 *
 * A row is used by the layer (layer.c), which gives the real device its limits, by the test of
 * plans, which needs no device, and by persona_table, which writes personas.txt. */
#ifndef CLG_TESTS_PERSONAS_PERSONA_H
#define CLG_TESTS_PERSONAS_PERSONA_H

#include <CL/cl.h>
#include <stdbool.h>

struct persona {
    const char *name;    /* in CLG_PERSONA */
    const char *source;  /* reports: a repository and an issue or pull request */
    const char *assumed; /* what these do not say; NULL: nothing */
    const char *remark;  /* on what the library chooses there */

    const char *device, *vendor, *version, *driver, *platform, *platform_version;
    int opencl; /* the number of `version`, for example 120 */
    cl_uint compute_units, clock_mhz;
    size_t work_group, work_items[3];
    size_t kernel_group;  /* a lower limit for kernels with local memory, or 0: compilers limit
                             kernels that need many registers */
    cl_uint simd;         /* work-items in lockstep, or the preferred multiple */
    cl_uint float_vector; /* the native width, in floats */
    bool local_is_global; /* local memory is a part of global memory */
    cl_ulong local, buffer, global; /* bytes: local memory, the largest buffer, all memory */
    cl_uint alignment;              /* of buffers, in bits */
    bool fma, fp64, fp16, unified, out_of_order;
    cl_device_svm_capabilities svm;
    cl_uint capability;    /* NVIDIA's compute capability, 10 * major + minor; 0: not reported */
    cl_uint intel_version; /* CL_DEVICE_IP_VERSION_INTEL; 0: not reported */
    cl_int allocations[2]; /* CL_DEVICE_SUPPORTED_REGISTER_ALLOCATIONS_ARM; 0: not reported */
    size_t sub_group;      /* the least of CL_DEVICE_SUB_GROUP_SIZES_INTEL; 0: not reported */
};

extern const struct persona personas[];
extern const int num_personas;

/* The persona of that name, or NULL. */
const struct persona *persona_find(const char *name);

enum { PERSONA_SUB_GROUP_SIZES_INTEL = 0x4108 };

/* What clGetDeviceInfo returns on such a device. PERSONA_PASS: the row does not say, so the next
 * layer answers. */
enum { PERSONA_PASS = 1 };
cl_int persona_device_info(const struct persona *persona, cl_device_info what, size_t size,
                           void *value, size_t *size_ret);
cl_int persona_platform_info(const struct persona *persona, cl_platform_info what, size_t size,
                             void *value, size_t *size_ret);

/* Returns a value as clGet...Info functions do. */
cl_int persona_hand_over(const void *from, size_t n, size_t size, void *value, size_t *size_ret);

#endif
