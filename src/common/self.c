/* SPDX-License-Identifier: Apache-2.0
 * Finds the executable of this process. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "src/common/self.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

const char *self_program(void) {
    static const char link[] = "/proc/self/exe";
    static char path[PATH_MAX];
    if (access(link, X_OK) == 0)
        return link;
    const char *started =
        (const char *)getauxval(AT_EXECFN); /* NOLINT(performance-no-int-to-ptr) */
    return started && realpath(started, path) ? path : NULL;
}
