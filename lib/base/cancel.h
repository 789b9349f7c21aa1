/* SPDX-License-Identifier: Apache-2.0
 * Calls that a thread's cancellation waits for: open(), write(), the waits of OpenCL runtimes and
 * much else would end a thread that was cancelled with locks held, and every later call would hang.
 *
 *     clgemm_status clgemm_...(...) {
 *         const int cancel = clg_cancel_hold();
 *         return clg_cancel_release(cancel, work(...));
 *     }
 *
 * Every public function that takes a lock, calls OpenCL or touches a file does so. */
#ifndef CLG_BASE_CANCEL_H
#define CLG_BASE_CANCEL_H

#include "clgemm.h"

/* Holds cancellation of this thread off; returns its state, for the release. Pairs may nest. */
int clg_cancel_hold(void);

/* Sets the state as it was; a cancellation that came meanwhile takes effect at the thread's next
 * cancellation point. Returns `status`. */
clgemm_status clg_cancel_release(int state, clgemm_status status);

#endif
