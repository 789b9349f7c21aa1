/* SPDX-License-Identifier: Apache-2.0
 * Failing with a reason: a status, and the text of clgemm_last_error(), one per thread. */
#ifndef CLG_BASE_STATUS_H
#define CLG_BASE_STATUS_H

#include "clgemm.h"

/* Records the formatted text as this thread's last error and returns `status`, so that a failure is
 * one statement: `return clg_fail(CLGEMM_STATUS_INVALID_M, "m = %lld", m);`. Texts are cut at 16
 * KiB (a build log can be long), or at 255 bytes if memory is short. The last error itself must not
 * be an argument. */
clgemm_status clg_fail(clgemm_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* This thread's last error; "" if none. */
const char *clg_last_error(void);

/* A buffer of this size holds any last error. */
enum { CLG_LAST_ERROR_SIZE = 16384 };

/* Copies the last error, cut to `size` and NUL-terminated, so that a further clg_fail can quote it.
 */
void clg_copy_last_error(char *out, size_t size);

#endif
