/* SPDX-License-Identifier: Apache-2.0
 * The thread that opens the device while the program runs on.
 *
 * It blocks all signals except those of its own faults. While it runs:
 *
 *     exit()   waits for it, because runtimes crash if the process is torn down while they start.
 *              In the main thread and in watched threads it waits before any other handler runs.
 *              In other threads, handlers that the runtime registered within the last millisecond
 *              may run first.
 *     fork()   waits too: the child has no such thread, and would keep a half-loaded library.
 *              posix_spawn(), system() and vfork() do not wait.
 *
 * Both waits are limited, because a runtime may hang. */
#ifndef CLG_BLAS_OPENER_H
#define CLG_BLAS_OPENER_H

#include <stdbool.h>

/* Runs `open` in the thread, one at a time. Returns false if no thread can be started. */
bool clg_opener_start(void (*open)(void));

/* Makes the end of this thread wait for the opener too, because it cannot be told from exit(). */
void clg_opener_watch_thread(void);

/* Whether the process is about to end, so that nothing new should begin. */
bool clg_opener_is_late(void);

#endif
