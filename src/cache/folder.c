/* SPDX-License-Identifier: Apache-2.0
 * The program cache's folder, as it is found. */
#include "src/cache/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/disk.h"

/* Keeps what is the cache's own, in the opposite order. */
static void keep_own(struct cache_folder *folder) {
    size_t kept = 0;
    for (size_t i = 0; i < folder->count; i++) {
        const struct clg_file_info *file = &folder->files[i];
        if (clg_disk_is_entry(file->name) || clg_file_is_temporary(file->name))
            folder->files[kept++] = *file;
    }
    folder->count = kept;
    for (size_t i = 0; i < kept / 2; i++) {
        const struct clg_file_info early = folder->files[i];
        folder->files[i] = folder->files[kept - 1 - i];
        folder->files[kept - 1 - i] = early;
    }
}

bool cache_folder_open(struct cache_folder *out, bool create) {
    const char *why = NULL;
    *out = (struct cache_folder){.descriptor = -1};
    clg_disk_path(out->path, sizeof out->path);
    out->descriptor = clg_disk_open(create, &why);
    if (out->descriptor < 0) {
        out->off = why == clg_folder_absent ? NULL : why;
        out->unusable = !strncmp(why, "cannot be ", 10);
        return true;
    }
    if (!clg_folder_list(out->descriptor, &out->files, &out->count))
        return false;
    keep_own(out);
    return true;
}

void cache_folder_close(struct cache_folder *folder) {
    if (folder->descriptor >= 0)
        close(folder->descriptor);
    free(folder->files);
    *folder = (struct cache_folder){.descriptor = -1};
}

size_t cache_folder_entries(const struct cache_folder *folder, uint64_t *bytes) {
    size_t count = 0;
    *bytes = 0;
    for (size_t i = 0; i < folder->count; i++)
        if (clg_disk_is_entry(folder->files[i].name)) {
            *bytes += folder->files[i].bytes;
            count++;
        }
    return count;
}

bool cache_folder_is_on(const struct cache_folder *folder, const char *command) {
    if (folder->off)
        fprintf(stderr, "%s: the program cache%s%s is off: %s\n", command,
                *folder->path ? " at " : "", folder->path, folder->off);
    return !folder->off;
}
