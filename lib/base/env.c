/* SPDX-License-Identifier: Apache-2.0
 * The environment, as far as the library may trust it. */
#define _GNU_SOURCE /* secure_getenv */
#include "base/env.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

bool clg_env_is_foreign(void) {
    return getauxval(AT_SECURE);
}

const char *clg_env(const char *name) {
    const char *value = secure_getenv(name);
    return value && *value ? value : NULL;
}

uint64_t clg_env_size(const char *name, uint64_t otherwise) {
    static const char units[] = "KMG";
    const char *text = clg_env(name);
    if (!text || *text < '0' || *text > '9') /* strtoull would take a sign */
        return otherwise;
    char *end = NULL;
    errno = 0;
    unsigned long long size = strtoull(text, &end, 10);
    if (errno)
        return otherwise;
    const char *unit = *end ? strchr(units, *end >= 'a' ? *end - ('a' - 'A') : *end) : NULL;
    for (const char *u = units; unit && u <= unit; u++)
        if (__builtin_mul_overflow(size, 1024ULL, &size))
            return otherwise;
    return *end == '\0' || (unit && end[1] == '\0') ? size : otherwise;
}

bool clg_env_is_off(const char *name) {
    const char *text = clg_env(name);
    return text && strcmp(text, "0") == 0;
}
