/* SPDX-License-Identifier: Apache-2.0
 * Reads the program cache's folder. */
#include "src/cache/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/disk.h"
#include "program/key.h"

/* Keeps only the cache's own files, in reverse order. */
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

const char *cache_folder_read(const struct cache_folder *folder, const char *name, char **key,
                              enum clg_finding *finding, uint64_t *spills) {
    struct clg_entry entry;
    unsigned char *bytes = NULL;
    const char *why = clg_disk_read(folder->descriptor, name, &entry, &bytes);
    if (why) /* others may have removed it after the folder was listed */
        return clg_file_exists(folder->descriptor, name) ? why : NULL;
    if (key && (*key = malloc(entry.key_size + 1))) {
        memcpy(*key, entry.key, entry.key_size);
        (*key)[entry.key_size] = '\0';
        *finding = clg_finding_read(entry.program, clg_key_is_checks(*key) ? entry.program_size : 0,
                                    spills);
    }
    free(bytes);
    return NULL;
}

size_t cache_folder_wrong(const struct cache_folder *folder, const char *device, size_t *spilling) {
    enum { LARGEST = 1 << 14 }; /* a larger file is a program */
    size_t count = 0;
    *spilling = 0;
    for (size_t i = 0; i < folder->count; i++) {
        const struct clg_file_info *file = &folder->files[i];
        enum clg_finding finding = CLG_FINDING_NONE;
        uint64_t spills = 0;
        char name[1024] = "", *key = NULL;
        if (clg_disk_is_entry(file->name) && file->bytes <= LARGEST &&
            !cache_folder_read(folder, file->name, &key, &finding, &spills) && key)
            clg_key_field(key, "device", name, sizeof name);
        const bool here = strcmp(name, device) == 0;
        count += here && finding == CLG_FINDING_WRONG;
        *spilling += here && spills > 0;
        free(key);
    }
    return count;
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
