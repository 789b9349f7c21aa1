/* SPDX-License-Identifier: Apache-2.0
 * What the public functions share: handles, and the handle-less path's own. */
#ifndef CLG_API_HANDLE_H
#define CLG_API_HANDLE_H

#include "api/online.h"
#include "clgemm_cl.h"
#include "gemm/memo.h"
#include "program/programs.h"

struct clgemm_handle {
    struct clg_programs *programs;
    struct clg_memo memo;
    struct clg_online_tuner *online; /* NULL: off */
    int users; /* guarded by api/shared.c's lock; only handles of the handle-less path count */
};

/* Opens a handle as clgemm_create and clgemm_create_cl do. */
clgemm_status clg_handle_open(clgemm_handle **out, const char *device);
clgemm_status clg_handle_adopt(clgemm_handle **out, cl_context context, cl_device_id device);

/* NULL is fine. In a child of the process that opened it, only forgets it. */
void clg_handle_close(clgemm_handle *handle);

/* Fails with CLGEMM_STATUS_INVALID_HANDLE for NULL, CLGEMM_STATUS_FORKED after fork(). */
clgemm_status clg_handle_check(const clgemm_handle *handle);

/* The handle-less path's handle: of the default device, or of a caller's context and device. Each
 * success is ended with clg_shared_release, told the call's status: a lost device is not used
 * again. */
clgemm_status clg_shared_default(clgemm_handle **out);
clgemm_status clg_shared_for(clgemm_handle **out, cl_context context, cl_device_id device);
void clg_shared_release(clgemm_handle *handle, clgemm_status status);

/* The process's store of built programs, made at first use; NULL where memory is out. */
struct clg_binaries *clg_shared_binaries(void);

/* Fails with CLGEMM_STATUS_FORKED in a child of a process that has opened a device. */
clgemm_status clg_shared_check_fork(void);

#endif
