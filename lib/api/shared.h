/* SPDX-License-Identifier: Apache-2.0
 * The handle that a call uses: the caller's, or one of the handle-less path. */
#ifndef CLG_API_SHARED_H
#define CLG_API_SHARED_H

#include "api/handle.h"

/* The handle meant: `handle`, or for NULL that of the default device. Each success is ended with
 * clg_shared_end, told the call's status: a lost device is not used again. */
clgemm_status clg_shared_use(clgemm_handle *handle, clgemm_handle **out);
void clg_shared_end(const clgemm_handle *handle, clgemm_handle *used, clgemm_status status);

/* The same for a caller's context and device: handle NULL means the one kept for them, another must
 * be of them, else CLGEMM_STATUS_INVALID_QUEUE. */
clgemm_status clg_shared_use_for(clgemm_handle *handle, cl_context context, cl_device_id device,
                                 clgemm_handle **out);

/* What CLGEMM_MATH_DEFAULT means to calls with that handle, or without: 0 is strict. */
clgemm_math clg_handle_math(const clgemm_handle *handle);

#endif
