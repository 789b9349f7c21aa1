/* SPDX-License-Identifier: Apache-2.0
 * Handles as the public functions share them. */
#ifndef CLG_API_HANDLE_H
#define CLG_API_HANDLE_H

#include "api/online.h"
#include "clgemm_cl.h"

struct clgemm_handle {
    struct clg_engine engine;
    struct clg_online_tuner *online; /* NULL: off */
    int math;                        /* the option, a clgemm_math; read and written atomically */
    int users; /* guarded by api/shared.c's lock; only handles of the handle-less path count */
};

/* Opens a handle as clgemm_create and clgemm_create_cl do. */
clgemm_status clg_handle_open(clgemm_handle **out, const char *device);
clgemm_status clg_handle_adopt(clgemm_handle **out, cl_context context, cl_device_id device);

/* Sets CLGEMM_OPTION_BUILD. */
clgemm_status clg_handle_set_build(clgemm_handle *handle, clgemm_build build);

/* NULL is fine. In a child of the process that opened it, only forgets it. */
void clg_handle_close(clgemm_handle *handle);

/* Fails with CLGEMM_STATUS_INVALID_HANDLE for NULL, CLGEMM_STATUS_FORKED after fork(). */
clgemm_status clg_handle_check(const clgemm_handle *handle);

#endif
