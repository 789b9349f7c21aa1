/* SPDX-License-Identifier: Apache-2.0
 * Handles, as shared by the public functions. */
#ifndef CLG_API_HANDLE_H
#define CLG_API_HANDLE_H

#include "clgemm_cl.h"
#include "host/team.h"

struct clgemm_handle {
    struct clg_engine engine; /* of several devices, the first's */
    struct clg_host host;
    clgemm_handle *next;   /* of several devices, a handle for each further one, owned; else NULL */
    struct clg_team *team; /* all of them, for calls on host matrices; NULL: one device */
    int math;              /* the option, a clgemm_math; accessed atomically */
    int users; /* guarded by the lock in api/shared.c; used only for handles of calls without a
                  handle */
};

/* Opens a handle as clgemm_create and clgemm_create_cl do. */
clgemm_status clg_handle_open(clgemm_handle **out, const char *device);
clgemm_status clg_handle_adopt(clgemm_handle **out, cl_context context, cl_device_id device);

/* The options with a set of values, CLGEMM_OPTION_BUILD and CLGEMM_OPTION_VERIFY, are numbered from
 * the first. */
enum { CLG_FIRST_CHOICE = CLGEMM_OPTION_BUILD, CLG_CHOICES = 2 };

/* Fails with CLGEMM_STATUS_INVALID_OPTION if the option is neither of these, or does not have that
 * value. */
clgemm_status clg_handle_check_choice(clgemm_option option, int64_t value);

/* Sets one of these options to a valid value. */
clgemm_status clg_handle_choose(clgemm_handle *handle, clgemm_option option, int value);

/* Closes a handle. NULL is fine. In a child of the process that opened it, OpenCL's objects are not
 * released. */
void clg_handle_close(clgemm_handle *handle);

/* Fails with CLGEMM_STATUS_INVALID_HANDLE for NULL, CLGEMM_STATUS_FORKED after fork(). */
clgemm_status clg_handle_check(const clgemm_handle *handle);

/* Fails with CLGEMM_STATUS_EXITING if exit() has begun and the runtime may have ended. For calls on
 * host matrices: those on a program's own OpenCL objects are as late as the program is. */
clgemm_status clg_handle_check_exit(const clgemm_handle *handle);

/* ---- The handle that a call uses: the caller's, or one that calls without a handle share ---- */

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

/* The process's store of compiled programs, which all handles share, created at first use. NULL if
 * memory is short. */
struct clg_binaries *clg_store(void);

#endif
