/* SPDX-License-Identifier: Apache-2.0
 * The kernel sources, embedded by the build from kernels/ (see cmake/embed.cmake). */
#ifndef CLG_PROGRAM_SOURCE_H
#define CLG_PROGRAM_SOURCE_H

#include <stddef.h>
#include <string.h>

struct clg_source {
    const char *name; /* the file's name without ".cl"; its one kernel is "clg_" + name */
    const char *text; /* NUL-terminated; `length` does not count the NUL */
    size_t length;
};

extern const struct clg_source clg_sources[];
extern const size_t clg_source_count;

/* The source of that name, or NULL. */
static inline const struct clg_source *clg_source_find(const char *name) {
    for (size_t i = 0; i < clg_source_count; i++)
        if (strcmp(clg_sources[i].name, name) == 0)
            return &clg_sources[i];
    return NULL;
}

#endif
