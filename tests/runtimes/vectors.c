/* SPDX-License-Identifier: Apache-2.0
 * An OpenCL layer that sets the device's native vectors to CLG_VECTOR floats and changes nothing
 * else. So a CPU with wide vectors runs the kernels that the library chooses for narrow ones, and
 * vice versa. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <stdlib.h>
#include <string.h>

static cl_icd_dispatch next, ours;
static cl_uint width; /* in floats */

static cl_int hand_over(const void *from, size_t n, size_t size, void *value, size_t *size_ret) {
    if (value && size < n)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, from, n);
    if (size_ret)
        *size_ret = n;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL layer_clGetDeviceInfo(cl_device_id device, cl_device_info what,
                                                size_t size, void *value, size_t *size_ret) {
    if (what == CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT)
        return hand_over(&width, sizeof width, size, value, size_ret);
    return next.clGetDeviceInfo(device, what, size, value, size_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value,
                                               size_t *size_ret) {
    static const char name[] = "libclgemm vector layer";
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    return what == CL_LAYER_NAME ? hand_over(name, sizeof name, size, value, size_ret)
           : what == CL_LAYER_API_VERSION
               ? hand_over(&version, sizeof version, size, value, size_ret)
               : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target,
                                            cl_uint *num_entries_ret,
                                            const cl_icd_dispatch **dispatch_ret) {
    const char *given = getenv("CLG_VECTOR");
    if (!target || !num_entries_ret || !dispatch_ret || !given)
        return CL_INVALID_VALUE;
    /* An older loader's table is shorter. */
    const size_t size = num_entries * sizeof(void *);
    memcpy(&next, target, size < sizeof next ? size : sizeof next);
    ours = next;
    ours.clGetDeviceInfo = layer_clGetDeviceInfo;
    width = (cl_uint)strtoul(given, NULL, 10);
    *num_entries_ret = sizeof ours / sizeof(void *);
    *dispatch_ret = &ours;
    return CL_SUCCESS;
}
