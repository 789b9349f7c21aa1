/* SPDX-License-Identifier: Apache-2.0
 * Where the environment says that built programs and tuning files are. */
#ifndef CLG_BASE_PLACES_H
#define CLG_BASE_PLACES_H

#include <limits.h>

struct clg_place {
    char path[PATH_MAX]; /* "" if there is none */
    const char *from;    /* the rule that named it */
};

/* The folder of built programs: CLGEMM_CACHE_DIR, XDG_CACHE_HOME/clgemm, HOME/.cache/clgemm. */
void clg_place_programs(struct clg_place *out);

enum { CLG_TUNING_PLACES = 3 };

/* Of tuning files, in the order in which they are searched; none with CLGEMM_TUNING=0. */
void clg_places_tuning(struct clg_place out[CLG_TUNING_PLACES]);

#endif
