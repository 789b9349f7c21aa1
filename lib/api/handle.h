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

/* The options that are a choice, CLGEMM_OPTION_BUILD and _VERIFY, count from the first. */
enum { CLG_FIRST_CHOICE = CLGEMM_OPTION_BUILD, CLG_CHOICES = 2 };

/* Fails with CLGEMM_STATUS_INVALID_OPTION for an option that is none of these, or has no such
 * value. */
clgemm_status clg_handle_check_choice(clgemm_option option, int64_t value);

/* Sets one of them to a value that it has. */
clgemm_status clg_handle_choose(clgemm_handle *handle, clgemm_option option, int value);

/* NULL is fine. In a child of the process that opened it, only forgets it. */
void clg_handle_close(clgemm_handle *handle);

/* Fails with CLGEMM_STATUS_INVALID_HANDLE for NULL, CLGEMM_STATUS_FORKED after fork(). */
clgemm_status clg_handle_check(const clgemm_handle *handle);

#endif
