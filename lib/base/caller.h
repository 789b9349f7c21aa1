/* SPDX-License-Identifier: Apache-2.0
 * What a call leaves in its thread as it was, whatever runtimes and compilers do beneath it:
 *
 * - Cancellation waits for the call's end. open(), write(), the waits of OpenCL runtimes and much
 *   else would end a thread that was cancelled with locks held, and every later call would hang.
 * - Floating-point exceptions that the program traps would end it within a driver's compiler, and
 *   flags that one raises would be taken for the program's (NumPy warns of them).
 *
 *     clgemm_status clgemm_...(...) {
 *         const struct clg_caller caller = clg_caller_hold();
 *         return clg_caller_release(&caller, work(...));
 *     }
 *
 * Every public function that takes a lock, calls OpenCL or touches a file does so. */
#ifndef CLG_BASE_CALLER_H
#define CLG_BASE_CALLER_H

#include <fenv.h>

#include "clgemm.h"

struct clg_caller {
    int cancel;
    fenv_t arithmetic;
};

/* Holds cancellation of this thread off, and masks and clears the floating-point exceptions; the
 * rounding stays. Returns both as they were, for the release. Pairs may nest. */
struct clg_caller clg_caller_hold(void);

/* Sets both as they were; a cancellation that came meanwhile takes effect at the thread's next
 * cancellation point. Returns `status`. */
clgemm_status clg_caller_release(const struct clg_caller *caller, clgemm_status status);

#endif
