/* SPDX-License-Identifier: Apache-2.0
 * Reads the places from the environment, by the XDG base directory rules. */
#include "base/places.h"

#include <stddef.h>
#include <stdio.h>

#include "base/env.h"

/* DIRECTORY/RELATIVE, or nothing where that does not fit. */
static void set(struct clg_place *place, const char *from, const char *directory,
                const char *relative) {
    int wrote = snprintf(place->path, sizeof place->path, "%s%s%s", directory, *relative ? "/" : "",
                         relative);
    if (wrote < 0 || (size_t)wrote >= sizeof place->path)
        place->path[0] = '\0';
    place->from = from;
}

/* Below $VARIABLE if that is an absolute path (the XDG rules ignore others), else below ~/HOME. */
static void set_xdg(struct clg_place *place, const char *variable, const char *under_home,
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

void clg_place_programs(struct clg_place *out) {
    const char *folder = clg_env("CLGEMM_CACHE_DIR");
    if (folder)
        set(out, "CLGEMM_CACHE_DIR", folder, "");
    else
        set_xdg(out, "XDG_CACHE_HOME", ".cache", "clgemm");
}

void clg_places_tuning(struct clg_place out[CLG_TUNING_PLACES]) {
    const char *given = clg_env("CLGEMM_TUNING");
    if (clg_env_is_off("CLGEMM_TUNING")) {
        for (int i = 0; i < CLG_TUNING_PLACES; i++)
            set(&out[i], "CLGEMM_TUNING is 0", "", "");
        return;
    }
    set(&out[0], given ? "CLGEMM_TUNING" : "CLGEMM_TUNING is not set", given ? given : "", "");
    set_xdg(&out[1], "XDG_CONFIG_HOME", ".config", "clgemm/tuning");
    set(&out[2], "the system's", "/etc/clgemm/tuning", "");
}
