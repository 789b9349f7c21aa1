/* SPDX-License-Identifier: Apache-2.0
 * OpenCL's two query functions, answered by personas. Linked into a program they replace the
 * loader's, so that the library derives its facts from a row as it does from a device. */
#include "personas/no_opencl.h"

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info what,
                                                size_t size, void *value, size_t *size_ret) {
    if (what == CL_DEVICE_PLATFORM) /* the persona is its own platform */
        return persona_hand_over(&device, sizeof device, size, value, size_ret);
    const cl_int code =
        persona_device_info((const struct persona *)device, what, size, value, size_ret);
    return code == PERSONA_PASS ? CL_INVALID_VALUE : code;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what,
                                                  size_t size, void *value, size_t *size_ret) {
    const cl_int code =
        persona_platform_info((const struct persona *)platform, what, size, value, size_ret);
    return code == PERSONA_PASS ? CL_INVALID_VALUE : code;
}

const char *persona_facts(const struct persona *persona, struct clg_facts *out) {
    if (clg_facts_query((cl_device_id)persona, out))
        return "it does not answer all questions";
    return clg_device_unusable(out);
}
