/* SPDX-License-Identifier: Apache-2.0
 * A persona's answers to queries about the device and its platform. */
#include "personas/persona.h"

#include <stdio.h>
#include <string.h>

/* Of cl_nv_device_attribute_query, cl_intel_device_attribute_query, cl_arm_scheduling_controls. */
enum {
    CAPABILITY_MAJOR = 0x4000,
    CAPABILITY_MINOR = 0x4001,
    IP_VERSION_INTEL = 0x4250,
    ALLOCATIONS_ARM = 0x41EB
};

const struct persona *persona_find(const char *name) {
    for (int i = 0; i < num_personas && name; i++)
        if (strcmp(personas[i].name, name) == 0)
            return &personas[i];
    return NULL;
}

cl_int persona_hand_over(const void *from, size_t n, size_t size, void *value, size_t *size_ret) {
    if (value && size < n)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, from, n);
    if (size_ret)
        *size_ret = n;
    return CL_SUCCESS;
}

/* The OpenCL version in which a query was introduced, as 120. */
static int version_of_question(cl_device_info what) {
    static const struct {
        cl_device_info first;
        int version;
    } since[] = {{CL_DEVICE_NUMERIC_VERSION, 300},
                 {CL_DEVICE_IL_VERSION, 210},
                 {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 200},
                 {CL_DEVICE_LINKER_AVAILABLE, 120},
                 {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 110}};
    enum { LAST = CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED }; /* after it: extensions */
    for (size_t i = 0; i < sizeof since / sizeof *since; i++)
        if (what >= since[i].first && what <= LAST)
            return since[i].version;
    return what == CL_DEVICE_DOUBLE_FP_CONFIG ? 120 : 100;
}

static cl_int text(const char *from, size_t size, void *value, size_t *size_ret) {
    return persona_hand_over(from, strlen(from) + 1, size, value, size_ret);
}

static cl_int extensions(const struct persona *p, size_t size, void *value, size_t *size_ret) {
    char all[256];
    snprintf(all, sizeof all, "cl_khr_byte_addressable_store%s%s%s%s%s%s",
             p->fp64 ? " cl_khr_fp64" : "", p->fp16 ? " cl_khr_fp16" : "",
             p->capability ? " cl_nv_device_attribute_query cl_nv_compiler_options" : "",
             p->intel_version ? " cl_intel_device_attribute_query" : "",
             p->sub_group ? " cl_intel_required_subgroup_size cl_intel_subgroups" : "",
             p->allocations[0] ? " cl_arm_scheduling_controls" : "");
    return text(all, size, value, size_ret);
}

#define ANSWER(type, what) persona_hand_over(&(type){what}, sizeof(type), size, value, size_ret)

static cl_int limits(const struct persona *p, cl_device_info what, size_t size, void *value,
                     size_t *size_ret) {
    switch (what) {
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return ANSWER(cl_uint, p->compute_units);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        return ANSWER(cl_uint, p->clock_mhz);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return ANSWER(size_t, p->work_group);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
        return ANSWER(cl_uint, 3);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return persona_hand_over(p->work_items, sizeof p->work_items, size, value, size_ret);
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
        return ANSWER(cl_uint, p->float_vector);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return ANSWER(cl_ulong, p->local);
    case CL_DEVICE_LOCAL_MEM_TYPE:
        return ANSWER(cl_device_local_mem_type, p->local_is_global ? CL_GLOBAL : CL_LOCAL);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return ANSWER(cl_ulong, p->buffer);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return ANSWER(cl_ulong, p->global);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        return ANSWER(cl_uint, p->alignment);
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return ANSWER(size_t, p->simd);
    default:
        return PERSONA_PASS;
    }
}

static cl_int traits(const struct persona *p, cl_device_info what, size_t size, void *value,
                     size_t *size_ret) {
    const cl_device_fp_config least = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN;
    const cl_command_queue_properties profiles = CL_QUEUE_PROFILING_ENABLE;
    switch (what) {
    case CL_DEVICE_TYPE:
        return ANSWER(cl_device_type, CL_DEVICE_TYPE_GPU);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
        return ANSWER(cl_bool, CL_TRUE);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
        return ANSWER(cl_bool, p->unified);
    case CL_DEVICE_SINGLE_FP_CONFIG:
        return ANSWER(cl_device_fp_config, least | (p->fma ? CL_FP_FMA : 0));
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        return ANSWER(cl_device_fp_config, p->fp64 ? least | CL_FP_FMA : 0);
    case CL_DEVICE_QUEUE_PROPERTIES:
        return ANSWER(cl_command_queue_properties,
                      profiles | (p->out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0));
    case CL_DEVICE_SVM_CAPABILITIES:
        return ANSWER(cl_device_svm_capabilities, p->svm);
    case CAPABILITY_MAJOR:
        return p->capability ? ANSWER(cl_uint, p->capability / 10) : CL_INVALID_VALUE;
    case CAPABILITY_MINOR:
        return p->capability ? ANSWER(cl_uint, p->capability % 10) : CL_INVALID_VALUE;
    case IP_VERSION_INTEL:
        return p->intel_version ? ANSWER(cl_uint, p->intel_version) : CL_INVALID_VALUE;
    case ALLOCATIONS_ARM:
        return p->allocations[0]
                   ? persona_hand_over(p->allocations, sizeof p->allocations, size, value, size_ret)
                   : CL_INVALID_VALUE;
    case PERSONA_SUB_GROUP_SIZES_INTEL: {
        const size_t sizes[] = {p->sub_group, 32};
        return p->sub_group ? persona_hand_over(sizes, sizeof sizes, size, value, size_ret)
                            : CL_INVALID_VALUE;
    }
    default:
        return limits(p, what, size, value, size_ret);
    }
}

cl_int persona_device_info(const struct persona *p, cl_device_info what, size_t size, void *value,
                           size_t *size_ret) {
    if (version_of_question(what) > p->opencl &&
        !(what == CL_DEVICE_DOUBLE_FP_CONFIG && p->fp64)) /* the extension's own query */
        return CL_INVALID_VALUE;
    switch (what) {
    case CL_DEVICE_NAME:
        return text(p->device, size, value, size_ret);
    case CL_DEVICE_VENDOR:
        return text(p->vendor, size, value, size_ret);
    case CL_DEVICE_VERSION:
        return text(p->version, size, value, size_ret);
    case CL_DRIVER_VERSION:
        return text(p->driver, size, value, size_ret);
    case CL_DEVICE_EXTENSIONS:
        return extensions(p, size, value, size_ret);
    default:
        return traits(p, what, size, value, size_ret);
    }
}

cl_int persona_platform_info(const struct persona *p, cl_platform_info what, size_t size,
                             void *value, size_t *size_ret) {
    switch (what) {
    case CL_PLATFORM_NAME:
        return text(p->platform, size, value, size_ret);
    case CL_PLATFORM_VENDOR:
        return text(p->vendor, size, value, size_ret);
    case CL_PLATFORM_VERSION:
        return text(p->platform_version, size, value, size_ret);
    default:
        return PERSONA_PASS;
    }
}
