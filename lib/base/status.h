/* SPDX-License-Identifier: Apache-2.0
 * Failing with a reason: a status and, per thread, the text behind clgemm_last_error(). */
#ifndef CLG_BASE_STATUS_H
#define CLG_BASE_STATUS_H

#include "clgemm.h"

/* Records the formatted text as this thread's last error and returns `status`, so that a failure
 * is one statement: `return clg_fail(CLGEMM_STATUS_INVALID_M, "m = %lld", m);` Texts of any length
 * are kept whole up to 16 KiB (a build log), then cut; where memory is short, to 255 bytes. The
 * last error itself can be no argument. */
clgemm_status clg_fail(clgemm_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* This thread's last error; "" if none. */
const char *clg_last_error(void);

/* With room for this, all of it. */
enum { CLG_LAST_ERROR_SIZE = 16384 };

/* Copies what fits of it, ended properly: to quote it in a further clg_fail. */
void clg_copy_last_error(char *out, size_t size);

/* Name and sentence of one of our own codes or of success; NULL for any other. */
const char *clg_own_status_name(clgemm_status status);
const char *clg_own_status_text(clgemm_status status);

#endif
