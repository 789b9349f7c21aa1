/* SPDX-License-Identifier: Apache-2.0
 * The places of compiled programs and tuning files. */
#ifndef CLG_BASE_PATHS_H
#define CLG_BASE_PATHS_H

#include <limits.h>

struct clg_path {
    char path[PATH_MAX]; /* "" if there is none */
    const char *from;    /* the variable or rule that determined it */
};

/* The folder of compiled programs: CLGEMM_CACHE_DIR, XDG_CACHE_HOME/clgemm, HOME/.cache/clgemm. */
void clg_path_programs(struct clg_path *out);

enum { CLG_TUNING_PATHS = 3 };

/* The places of tuning files in the order of search. All are "" with CLGEMM_TUNING=0. */
void clg_paths_tuning(struct clg_path out[CLG_TUNING_PATHS]);

#endif
