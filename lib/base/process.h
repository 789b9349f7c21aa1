/* SPDX-License-Identifier: Apache-2.0
 * Detects child processes made by fork() without calling getpid(), a system call that can take as
 * long as the rest of a small call. */
#ifndef CLG_BASE_PROCESS_H
#define CLG_BASE_PROCESS_H

#include <stdbool.h>

#include "base/status.h"

/* Notes this process, unless one is noted already. */
void clg_process_note(void);

/* The noted process's id, or 0. */
long clg_process_noted(void);

/* Whether this process is a descendant of the noted one, however it was forked. */
bool clg_process_is_child(void);

/* Fails with CLGEMM_STATUS_FORKED in such a child. */
clgemm_status clg_process_check_fork(void);

#endif
