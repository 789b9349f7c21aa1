/* SPDX-License-Identifier: Apache-2.0
 * The process's environment as the library may trust it. */
#define _GNU_SOURCE /* secure_getenv */
#include "base/env.h"

#include <stdlib.h>

const char *clg_env(const char *name) {
    const char *value = secure_getenv(name);
    return value && *value ? value : NULL;
}
