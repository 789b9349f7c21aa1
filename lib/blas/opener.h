/* SPDX-License-Identifier: Apache-2.0
 * The thread of ours that opens the device beside the program.
 *
 * It takes no signals but those that a fault of its own raises. While it runs
 *
 *     exit()   waits for it, as runtimes do not survive that the process is torn down around them:
 *              the main thread's, and those of watched threads, before any other handler runs;
 *              another thread's before all handlers but those that the runtime has registered in
 *              the last millisecond.
 *     fork()   waits as well, so that no library is half loaded in the child, which has no such
 *              thread. posix_spawn(), system() and vfork() do not.
 *
 * but neither for ever: a runtime may hang. */
#ifndef CLG_BLAS_OPENER_H
#define CLG_BLAS_OPENER_H

#include <stdbool.h>

/* Runs `open` in the thread; one at a time. False where there can be no thread. */
bool clg_opener_start(void (*open)(void));

/* Watches this thread: its own end waits for the opener, too, as it cannot be told from exit(). */
void clg_opener_watch_thread(void);

/* Whether the process is about to end: what is not begun yet is not worth while. */
bool clg_opener_is_late(void);

#endif
