/* SPDX-License-Identifier: Apache-2.0
 * The kernel sources. */
#include "program/source.h"

#include <string.h>

const struct clg_source *clg_source_find(const char *name) {
    for (size_t i = 0; i < clg_source_count; i++)
        if (strcmp(clg_sources[i].name, name) == 0)
            return &clg_sources[i];
    return NULL;
}
