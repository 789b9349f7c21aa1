/* SPDX-License-Identifier: Apache-2.0
 * Signals that a write raises in the writing thread, and that by default end the process: SIGPIPE
 * where nobody reads a pipe any more, SIGXFSZ past RLIMIT_FSIZE. Between hold and release they are
 * held back in this thread; the write fails with EPIPE or EFBIG instead. */
#ifndef CLG_BASE_WRITE_SIGNALS_H
#define CLG_BASE_WRITE_SIGNALS_H

#include <signal.h>

struct clg_write_signals {
    sigset_t mask; /* as it was */
    sigset_t ours; /* those that were not pending before, so that one that comes is the write's */
};

void clg_write_signals_hold(struct clg_write_signals *held);

/* Takes those that came, and sets the mask as it was. One that the program had pending still is. */
void clg_write_signals_release(const struct clg_write_signals *held);

#endif
