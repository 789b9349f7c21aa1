/* SPDX-License-Identifier: Apache-2.0
 * What happens to the process: fork(), exit(), and signals that a write raises. Children made by
 * fork() are detected without calling getpid(), a system call that can take as long as the rest of
 * a small call. */
#ifndef CLG_BASE_PROCESS_H
#define CLG_BASE_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* Notes this process, unless one is noted already. */
void clg_process_note(void);

/* The noted process's id, or 0. */
long clg_process_noted(void);

/* Whether this process is a descendant of the noted one, however it was forked. */
bool clg_process_is_child(void);

/* Bytes of address space that the process has; 0 if that is unknown. */
uint64_t clg_process_address_space(void);

/* Fails with CLGEMM_STATUS_FORKED in such a child. */
clgemm_status clg_process_check_fork(void);

/* ---- exit() ---- */

/* Exit handlers run in reverse order: one that the program registered before its first call runs
 * when compilers have been torn down, and so does the destructor of an early static object. Nothing
 * may be compiled there. */

/* Lets exit() say so before it runs any handler that is registered already. Call it when a runtime
 * has been loaded, or may have registered handlers. */
void clg_exiting_watch(void);

bool clg_is_exiting(void);

/* ---- Writes ---- */

/* Signals that a write raises in the writing thread and that end the process by default: SIGPIPE if
 * a pipe has no reader, SIGXFSZ beyond RLIMIT_FSIZE. Between hold and release they are blocked in
 * this thread, and the write fails with EPIPE or EFBIG instead. */
struct clg_write_signals {
    sigset_t mask; /* the previous mask */
    sigset_t ours; /* those that were not pending before; if one is now, the write raised it */
};

void clg_write_signals_hold(struct clg_write_signals *held);

/* Consumes the signals that writes raised, and restores the mask. Signals that were pending before
 * stay pending. */
void clg_write_signals_release(const struct clg_write_signals *held);

#endif
