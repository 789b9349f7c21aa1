/* SPDX-License-Identifier: Apache-2.0
 * Names of loaded libraries. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "blas/find.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static const char *without_folders(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool clg_object_is_named(const char *path, const char *part) {
    char *real = realpath(path, NULL);
    const bool is =
        strstr(without_folders(path), part) || (real && strstr(without_folders(real), part));
    free(real);
    return is;
}

struct names {
    char *text;
    size_t used, room;
    bool failed;
};

/* Runs under the loader's lock: copies names and opens nothing. */
static int add_name(struct dl_phdr_info *info, size_t info_size, void *user) {
    (void)info_size;
    struct names *names = user;
    const size_t length = strlen(info->dlpi_name) + 1;
    if (length == 1)
        return 0;
    if (!clg_array_reserve(&names->text, &names->room, names->used + length + 1, 1)) {
        names->failed = true;
        return 1;
    }
    memcpy(names->text + names->used, info->dlpi_name, length);
    names->used += length;
    names->text[names->used] = '\0';
    return 0;
}

char *clg_objects_loaded(void) {
    struct names names = {.text = calloc(1, 1), .room = 1};
    if (names.text)
        dl_iterate_phdr(add_name, &names);
    if (names.failed) {
        free(names.text);
        return NULL;
    }
    return names.text;
}
