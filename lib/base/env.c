/* SPDX-License-Identifier: Apache-2.0
 * The environment, as far as the library may trust it. */
#define _GNU_SOURCE /* secure_getenv, environ, asprintf */
#include "base/env.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

bool clg_env_is_foreign(void) {
    return getauxval(AT_SECURE);
}

static char **kept; /* NULL: the environment itself holds */

char **clg_env_keep(void) {
    size_t count = 0, size = 0;
    while (environ && environ[count])
        size += strlen(environ[count++]) + 1;
    kept = calloc(1, (count + 1) * sizeof *kept + size);
    char *text = kept ? (char *)&kept[count + 1] : NULL;
    for (size_t i = 0; i < count && kept; i++) {
        kept[i] = text;
        text = stpcpy(text, environ[i]) + 1;
    }
    return kept;
}

static void find_kept(void) {
    char ***theirs = kept ? NULL : dlsym(RTLD_DEFAULT, CLG_ENV_KEPT);
    if (theirs)
        kept = *theirs;
    dlerror(); /* the program must not see its error */
}

static char **list_kept(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_kept);
    return kept;
}

static const char *value_in(char *const *list, const char *name) {
    const size_t length = strlen(name);
    for (; *list; list++)
        if (strncmp(*list, name, length) == 0 && (*list)[length] == '=')
            return *list + length + 1;
    return NULL;
}

const char *clg_env(const char *name) {
    char *const *list = list_kept();
    const char *value = !list                  ? secure_getenv(name)
                        : clg_env_is_foreign() ? NULL
                                               : value_in(list, name);
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

/* ---- Places: the XDG base directory rules ---- */

/* Sets DIRECTORY/RELATIVE, or "" if that does not fit. */
static void set(struct clg_path *out, const char *from, const char *directory,
                const char *relative) {
    int wrote =
        snprintf(out->path, sizeof out->path, "%s%s%s", directory, *relative ? "/" : "", relative);
    if (wrote < 0 || (size_t)wrote >= sizeof out->path)
        out->path[0] = '\0';
    out->from = from;
}

/* Below $VARIABLE if that is an absolute path (the XDG rules ignore others), else below
 * $HOME/UNDER_HOME. */
static void set_xdg(struct clg_path *out, const char *variable, const char *under_home,
                    const char *relative) {
    const char *value = clg_env(variable), *home = clg_env("HOME");
    char directory[PATH_MAX];
    if (value && *value == '/') {
        set(out, variable, value, relative);
    } else if (home && snprintf(directory, sizeof directory, "%s/%s", home, under_home) <
                           (int)sizeof directory) {
        set(out, "HOME", directory, relative);
    } else {
        set(out, "HOME is not set", "", "");
    }
}

void clg_path_programs(struct clg_path *out) {
    const char *folder = clg_env("CLGEMM_CACHE_DIR");
    if (folder)
        set(out, "CLGEMM_CACHE_DIR", folder, "");
    else
        set_xdg(out, "XDG_CACHE_HOME", ".cache", "clgemm");
}

void clg_path_config(struct clg_path *out) {
    set_xdg(out, "XDG_CONFIG_HOME", ".config", "clgemm/clgemm.conf");
}

void clg_paths_tuning(struct clg_path out[CLG_TUNING_PATHS]) {
    const char *given = clg_env("CLGEMM_TUNING");
    if (clg_env_is_off("CLGEMM_TUNING")) {
        for (int i = 0; i < CLG_TUNING_PATHS; i++)
            set(&out[i], "CLGEMM_TUNING is 0", "", "");
        return;
    }
    set(&out[0], given ? "CLGEMM_TUNING" : "CLGEMM_TUNING is not set", given ? given : "", "");
    set_xdg(&out[1], "XDG_CONFIG_HOME", ".config", "clgemm/tuning");
    set(&out[2], "system", "/etc/clgemm/tuning", "");
}

#define LOADERS "OCL_ICD_FILENAMES"
static char *loaders; /* LOADERS=value, for the whole life of the process */

static void keep_loaders(void) {
    const char *value = clg_env(LOADERS);
    if (value && asprintf(&loaders, LOADERS "=%s", value) < 0)
        loaders = NULL;
}

void clg_env_keep_loaders(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, keep_loaders);
}

char **clg_env_for_exec(void) {
    static const char *const dropped[] = {"LD_PRELOAD=", "LD_AUDIT="};
    size_t count = 0, used = 0;
    char **list = list_kept();
    list = list ? list : environ;
    while (list && list[count])
        count++;
    char **out = clg_env_is_foreign() ? NULL : calloc(count + 1, sizeof *out);
    for (size_t i = 0; i < count && out; i++)
        if (strncmp(list[i], dropped[0], strlen(dropped[0])) != 0 &&
            strncmp(list[i], dropped[1], strlen(dropped[1])) != 0)
            out[used++] =
                loaders && !strncmp(list[i], LOADERS "=", sizeof LOADERS) ? loaders : list[i];
    return out;
}
