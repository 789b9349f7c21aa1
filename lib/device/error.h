/* SPDX-License-Identifier: Apache-2.0
 * OpenCL error codes as statuses and names. */
#ifndef CLG_DEVICE_ERROR_H
#define CLG_DEVICE_ERROR_H

#include "base/status.h"
#include "device/opencl.h"

/* The name, such as "CL_OUT_OF_RESOURCES". NULL for codes that neither OpenCL 1.2 nor the ICD
 * loader defines. */
const char *clg_cl_error_name(cl_int code);

/* Fails with an OpenCL code, unchanged. The text names the call that returned it. */
clgemm_status clg_cl_fail(cl_int code, const char *call);

/* Whether `code` means that a device or context is lost, so that nothing enqueued on the library's
 * queues can succeed any more, rather than that one call failed. */
int clg_cl_is_lost(cl_int code);

/* The status of a call in a queue of the library's own: CLGEMM_STATUS_DEVICE_LOST if it means that,
 * else the same. */
clgemm_status clg_cl_name_lost(clgemm_status status);

#endif
