/* SPDX-License-Identifier: Apache-2.0
 * The thread state that a call preserves, whatever OpenCL runtimes and compilers do:
 *
 * - Cancellation waits for the end of the call. open(), write(), waits in OpenCL runtimes and many
 *   others are cancellation points. A thread that ended there would leave locks held, and every
 *   later call would hang.
 * - Floating-point exceptions that the program traps would end it within a driver's compiler. Flags
 *   that a compiler raises would seem to be the program's (NumPy warns of them).
 * - A thread may flush denormals to zero (-ffast-math). alpha and beta must not be read so, and a
 *   runtime's threads inherit the state of the thread that starts them.
 *
 *     clgemm_status clgemm_...(...) {
 *         const struct clg_caller caller = clg_caller_hold();
 *         return clg_caller_release(&caller, work(...));
 *     }
 *
 * Every public function that takes a lock, calls OpenCL or touches a file uses this pair. */
#ifndef CLG_BASE_CALLER_H
#define CLG_BASE_CALLER_H

#include <fenv.h>

#include "clgemm.h"

struct clg_caller {
    int cancel;
    fenv_t arithmetic;
};

/* Disables cancellation of this thread, masks and clears the floating-point exceptions, and keeps
 * denormals. The rounding mode stays. Returns the previous state of both, for the release. Pairs
 * may nest. */
struct clg_caller clg_caller_hold(void);

/* Restores both. A cancellation requested meanwhile takes effect at the thread's next cancellation
 * point. Returns `status`. */
clgemm_status clg_caller_release(const struct clg_caller *caller, clgemm_status status);

#endif
