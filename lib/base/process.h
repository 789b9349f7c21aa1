/* SPDX-License-Identifier: Apache-2.0
 * Telling a process from its children, without the system call that getpid() is: on some machines
 * that takes as long as the rest of what a small call does. */
#ifndef CLG_BASE_PROCESS_H
#define CLG_BASE_PROCESS_H

#include <stdbool.h>

#include "base/status.h"

/* Notes this process, if none is noted yet. */
void clg_process_note(void);

/* The noted process's id, or 0. */
long clg_process_noted(void);

/* Whether this process is a child of the noted one, or of its children, however it was forked. */
bool clg_process_is_child(void);

/* Fails with CLGEMM_STATUS_FORKED in such a child. */
clgemm_status clg_process_check_fork(void);

#endif
