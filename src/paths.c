/* SPDX-License-Identifier: Apache-2.0
 * Reads the places from the environment, by the XDG base directory rules. */
#include "paths.h"

#include <stddef.h>
#include <stdio.h>

#include "base/env.h"

/* DIRECTORY/RELATIVE, or nothing where that does not fit. */
static void set(struct place *place, const char *from, const char *directory,
                const char *relative) {
    int wrote = snprintf(place->path, sizeof place->path, "%s%s%s", directory, *relative ? "/" : "",
                         relative);
    if (wrote < 0 || (size_t)wrote >= sizeof place->path)
        place->path[0] = '\0';
    place->from = from;
}

/* Below $VARIABLE if that is an absolute path (the XDG rules ignore others), else below ~/HOME. */
static void set_xdg(struct place *place, const char *variable, const char *under_home,
                    const char *relative) {
    const char *value = clg_env(variable), *home = clg_env("HOME");
    char directory[PATH_MAX];
    if (value && *value == '/') {
        set(place, variable, value, relative);
    } else if (home && snprintf(directory, sizeof directory, "%s/%s", home, under_home) <
                           (int)sizeof directory) {
        set(place, "HOME", directory, relative);
    } else {
        set(place, "HOME is not set", "", "");
    }
}

void places_find(struct places *out) {
    const char *cache = clg_env("CLGEMM_CACHE_DIR"), *tuning = clg_env("CLGEMM_TUNING");
    if (cache)
        set(&out->cache, "CLGEMM_CACHE_DIR", cache, "");
    else
        set_xdg(&out->cache, "XDG_CACHE_HOME", ".cache", "clgemm");
    set(&out->tuning[0], tuning ? "CLGEMM_TUNING" : "CLGEMM_TUNING is not set",
        tuning ? tuning : "", "");
    set_xdg(&out->tuning[1], "XDG_CONFIG_HOME", ".config", "clgemm/tuning");
    set(&out->tuning[2], "the system's", "/etc/clgemm/tuning", "");
}
