/* SPDX-License-Identifier: Apache-2.0
 * OpenCL's error codes as statuses and names. */
#ifndef CLG_DEVICE_ERROR_H
#define CLG_DEVICE_ERROR_H

#include "base/status.h"
#include "device/opencl.h"

/* "CL_OUT_OF_RESOURCES"; NULL for a code that is not OpenCL 1.2's or the ICD loader's. */
const char *clg_cl_error_name(cl_int code);

/* Fails with an OpenCL code, which passes through unchanged, saying which call gave it. */
clgemm_status clg_cl_fail(cl_int code, const char *call);

/* Whether `code` means that a device or context broke for good, not that one call was wrong:
 * nothing enqueued on queues of ours can succeed after it. */
int clg_cl_is_lost(cl_int code);

#endif
