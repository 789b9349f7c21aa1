/* SPDX-License-Identifier: Apache-2.0
 * The handle that a call uses: the caller's, or one that calls without a handle share. */
#ifndef CLG_API_SHARED_H
#define CLG_API_SHARED_H

#include "api/handle.h"

/* The handle to use: `handle`, or for NULL that of the default device. End each success with
 * clg_shared_end and the call's status. A lost device is not used again. */
clgemm_status clg_shared_use(clgemm_handle *handle, clgemm_handle **out);
void clg_shared_end(const clgemm_handle *handle, clgemm_handle *used, clgemm_status status);

/* The same for a caller's context and device. For NULL it is the handle kept for them. Another
 * handle must belong to them; otherwise fails with CLGEMM_STATUS_INVALID_QUEUE. */
clgemm_status clg_shared_use_for(clgemm_handle *handle, cl_context context, cl_device_id device,
                                 clgemm_handle **out);

/* What CLGEMM_MATH_DEFAULT means for calls with that handle, or without one. */
clgemm_math clg_handle_math(const clgemm_handle *handle);

#endif
