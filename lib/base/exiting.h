/* SPDX-License-Identifier: Apache-2.0
 * Whether exit() has begun. Exit handlers run in reverse order: one that the program registered
 * before its first call runs when compilers have been torn down, and so does the destructor of an
 * early static object. Nothing may be compiled there. */
#ifndef CLG_BASE_EXITING_H
#define CLG_BASE_EXITING_H

#include <stdbool.h>

/* Lets exit() say so before it runs any handler that is registered already. Call it when a runtime
 * has been loaded, or may have registered handlers. */
void clg_exiting_watch(void);

bool clg_is_exiting(void);

#endif
