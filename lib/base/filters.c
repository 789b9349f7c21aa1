/* SPDX-License-Identifier: Apache-2.0
 * Counts this thread's filters of system calls. */
#include "base/filters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

static long at_load;

static bool has_some(void) {
    return prctl(PR_GET_SECCOMP) > 0;
}

/* 1 where Linux does not count them (before 5.9). */
static long count(void) {
    static const char name[] = "Seccomp_filters:";
    char line[128];
    long filters = 1;
    FILE *file = has_some() ? fopen("/proc/thread-self/status", "re") : NULL;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, sizeof name - 1) == 0)
            filters = strtol(line + sizeof name - 1, NULL, 10);
    if (file)
        fclose(file);
    return filters;
}

__attribute__((constructor)) static void note(void) {
    at_load = has_some() ? count() : 0;
}

bool clg_filters_grew(void) {
    return has_some() && (at_load == 0 || count() > at_load);
}
