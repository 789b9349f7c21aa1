/* SPDX-License-Identifier: Apache-2.0
 * Failing with a reason: a status, and the text of clgemm_last_error(), one per thread. */
#ifndef CLG_BASE_STATUS_H
#define CLG_BASE_STATUS_H

#include <stdbool.h>

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

/* ---- The first failure among threads that work together ---- */

/* Begins as zeros. */
struct clg_failure {
    int status; /* atomic; of the first; 0: none */
    char *why;  /* its reason; NULL: memory was short */
};

/* Keeps a thread's status and last error if that is the first failure. Returns whether it is one.
 */
bool clg_failure_note(struct clg_failure *failure, clgemm_status status);

/* Whether there has been one, so that the other threads may stop. */
static inline bool clg_failure_is_noted(const struct clg_failure *failure) {
    return __atomic_load_n(&failure->status, __ATOMIC_SEQ_CST) != CLGEMM_SUCCESS;
}

/* When all threads have ended: fails with it, in the calling thread, and frees the reason. */
clgemm_status clg_failure_end(struct clg_failure *failure);

#endif
