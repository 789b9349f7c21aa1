/* SPDX-License-Identifier: Apache-2.0
 * What happens to the process: fork(), exit(), and filters of system calls. Children made by fork()
 * are detected without calling getpid(), a system call that can take as long as the rest of a small
 * call. */
#ifndef CLG_BASE_PROCESS_H
#define CLG_BASE_PROCESS_H

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

/* ---- Filters of system calls (seccomp) ---- */

/* Services and containers run under some all their life, so that there are some says nothing. A
 * program that sets one later has what it needs by then, and the filter may kill it for a runtime's
 * system calls. */

/* Whether this thread has more filters than the library found when it was loaded. Opens a file only
 * if there were some then. */
bool clg_filters_grew(void);

#endif
