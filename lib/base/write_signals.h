/* SPDX-License-Identifier: Apache-2.0
 * Signals that a write raises in the writing thread and that end the process by default: SIGPIPE if
 * a pipe has no reader, SIGXFSZ beyond RLIMIT_FSIZE. Between hold and release they are blocked in
 * this thread, and the write fails with EPIPE or EFBIG instead. */
#ifndef CLG_BASE_WRITE_SIGNALS_H
#define CLG_BASE_WRITE_SIGNALS_H

#include <signal.h>

struct clg_write_signals {
    sigset_t mask; /* the previous mask */
    sigset_t ours; /* those that were not pending before; if one is now, the write raised it */
};

void clg_write_signals_hold(struct clg_write_signals *held);

/* Consumes the signals that writes raised, and restores the mask. Signals that were pending before
 * stay pending. */
void clg_write_signals_release(const struct clg_write_signals *held);

#endif
