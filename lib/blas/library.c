/* SPDX-License-Identifier: Apache-2.0
 * Loads libclgemm. */
#define _GNU_SOURCE /* dladdr */
#include "blas/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_(value) #value
#define TEXT(value) TEXT_(value)
static const char file[] = "libclgemm.so." TEXT(CLGEMM_VERSION_MAJOR);

static const char *const names[] = {
#define NAME(function) #function,
    CLG_BLAS_LIBRARY(NAME)
#undef NAME
};

/* libclgemm is in this library's folder, or in the folder above if this one is a libblas.so.3 in a
 * folder of its own; else where the system searches. */
static void *open_library(void) {
    static const char *const folders[] = {"", "/.."};
    char path[PATH_MAX];
    Dl_info own;
    char *real = dladdr(file, &own) ? realpath(own.dli_fname, NULL) : NULL;
    const char *slash = real ? strrchr(real, '/') : NULL;
    void *handle = NULL;
    for (size_t i = 0; slash && !handle && i < sizeof folders / sizeof folders[0]; i++)
        if (snprintf(path, sizeof path, "%.*s%s/%s", (int)(slash - real), real, folders[i], file) <
            (int)sizeof path)
            handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    free(real);
    return handle ? handle : dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

bool clg_library_load(struct clg_library *out, char *why, size_t size) {
    enum { FUNCTIONS = sizeof names / sizeof names[0] };
    union {
        void *symbols[FUNCTIONS];
        struct clg_library library;
    } found;
    _Static_assert(sizeof found.symbols == sizeof found.library, "one name for each member");
    /* Never unloaded: its threads and those of the OpenCL runtime may run until the end. */
    void *handle = open_library();
    const char *error = handle ? NULL : dlerror();
    if (!handle) {
        snprintf(why, size, "%s", error ? error : file);
        return false;
    }
    for (size_t i = 0; i < FUNCTIONS; i++) {
        found.symbols[i] = dlsym(handle, names[i]);
        if (!found.symbols[i]) {
            snprintf(why, size, "%s has no %s", file, names[i]);
            return false;
        }
    }
    *out = found.library;
    return true;
}
