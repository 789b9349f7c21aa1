/* SPDX-License-Identifier: Apache-2.0
 * Where the environment says that built programs and tuning files are. */
#ifndef CLGEMM_PATHS_H
#define CLGEMM_PATHS_H

#include <limits.h>

struct place {
    char path[PATH_MAX]; /* "" if there is none */
    const char *from;    /* the rule that named it */
};

enum { TUNING_PLACES = 3 };

struct places {
    struct place cache;
    struct place tuning[TUNING_PLACES]; /* in the order in which they are searched */
};

void places_find(struct places *out);

#endif
