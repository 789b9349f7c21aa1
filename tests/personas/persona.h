/* SPDX-License-Identifier: Apache-2.0
 * Personas: devices that are not there, as they describe themselves in published reports.
 *
 * One row is used three ways: by the layer (layer.c), which lends its limits to the device that is
 * there; by the test of plans, which needs none; and by the table of docs/personas.md. */
#ifndef CLG_TESTS_PERSONAS_PERSONA_H
#define CLG_TESTS_PERSONAS_PERSONA_H

#include <CL/cl.h>
#include <stdbool.h>

struct persona {
    const char *name;    /* in CLG_PERSONA */
    const char *source;  /* reports: a repository and its issue or pull request */
    const char *assumed; /* what these do not say; NULL: nothing */
    const char *remark;  /* on what the library chooses there, for docs/personas.md */

    const char *device, *vendor, *version, *driver, *platform, *platform_version;
    int opencl; /* of `version`, as 120: what the driver's table of functions has */
    cl_uint compute_units, clock_mhz;
    size_t work_group, work_items[3];
    size_t kernel_group;  /* work-items of a kernel that has local memory, where that is less: it
                             stands for what compilers leave to kernels of many registers */
    cl_uint simd;         /* work-items in step, or the multiple that is preferred */
    cl_uint float_vector; /* native, in floats */
    bool local_is_global; /* local memory is a part of global memory */
    cl_ulong local, buffer, global; /* bytes: local memory, the largest buffer, all memory */
    cl_uint alignment;              /* of buffers, in bits */
    bool fma, fp64, fp16, unified, out_of_order;
    cl_device_svm_capabilities svm;
    cl_uint capability; /* NVIDIA's compute capability, 10 * major + minor; 0: none is reported */
};

extern const struct persona personas[];
extern const int num_personas;

/* The persona of that name, or NULL. */
const struct persona *persona_find(const char *name);

/* What clGetDeviceInfo says on such a device. PERSONA_PASS: the row has nothing on that question,
 * so whoever is below may answer. */
enum { PERSONA_PASS = 1 };
cl_int persona_device_info(const struct persona *persona, cl_device_info what, size_t size,
                           void *value, size_t *size_ret);
cl_int persona_platform_info(const struct persona *persona, cl_platform_info what, size_t size,
                             void *value, size_t *size_ret);

/* A value as clGet...Info functions hand it over. */
cl_int persona_hand_over(const void *from, size_t n, size_t size, void *value, size_t *size_ret);

#endif
