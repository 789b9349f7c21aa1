/* SPDX-License-Identifier: Apache-2.0
 * Where the environment says that built programs and tuning files are. */
#ifndef CLG_BASE_PATHS_H
#define CLG_BASE_PATHS_H

#include <limits.h>

struct clg_path {
    char path[PATH_MAX]; /* "" if there is none */
    const char *from;    /* the rule that named it */
};

/* The folder of built programs: CLGEMM_CACHE_DIR, XDG_CACHE_HOME/clgemm, HOME/.cache/clgemm. */
void clg_path_programs(struct clg_path *out);

enum { CLG_TUNING_PATHS = 3 };

/* Of tuning files, in the order in which they are searched; none with CLGEMM_TUNING=0. */
void clg_paths_tuning(struct clg_path out[CLG_TUNING_PATHS]);

#endif
