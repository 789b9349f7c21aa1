/* SPDX-License-Identifier: Apache-2.0
 * Whether exit() has begun. */
#include "base/exiting.h"

#include <stdlib.h>

static bool exiting; /* atomic */

static void note(void) {
    __atomic_store_n(&exiting, true, __ATOMIC_RELEASE);
}

/* Runtimes register handlers when they are loaded and when they first compile. */
void clg_exiting_watch(void) {
    enum { MOST = 64 };
    static int handlers; /* atomic */
    if (__atomic_fetch_add(&handlers, 1, __ATOMIC_RELAXED) < MOST)
        atexit(note);
    else
        __atomic_store_n(&handlers, MOST, __ATOMIC_RELAXED);
}

bool clg_is_exiting(void) {
    return __atomic_load_n(&exiting, __ATOMIC_ACQUIRE);
}
