/* SPDX-License-Identifier: Apache-2.0
 * The program cache's folder as `clgemm cache` and `clgemm info` see it (contract:
 * program/disk.h). */
#ifndef CLGEMM_CACHE_FOLDER_H
#define CLGEMM_CACHE_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "program/finding.h"

struct cache_folder {
    char path[PATH_MAX];         /* "" if there is none */
    const char *off;             /* NULL if the cache is on, else a phrase that says why not */
    bool unusable;               /* off since it cannot be made or opened */
    int descriptor;              /* -1 if the cache is off, or the folder not there yet */
    struct clg_file_info *files; /* entries and temporary files, last used first */
    size_t count;
};

/* Opens the folder and lists its entries and temporary files by name, last used first, bad and
 * untrusted ones too; other files, which are not the cache's, and folders are left out. A cache
 * that is off, and a folder that is not there yet, have no files. With `create`, makes the folder.
 * False where it cannot be read or memory is short. Close it in any case. */
bool cache_folder_open(struct cache_folder *out, bool create);
void cache_folder_close(struct cache_folder *folder);

/* Why an entry is bad, or NULL if it is good or no longer there. If it is good and `key` is not
 * NULL, *key receives its key, owned by the caller (free), and *finding what it says of programs
 * that were checked; CLG_FINDING_NONE: it is a program. */
const char *cache_folder_read(const struct cache_folder *folder, const char *name, char **key,
                              enum clg_finding *finding);

/* How many entries say that programs gave wrong results on that device. */
size_t cache_folder_wrong(const struct cache_folder *folder, const char *device);

/* How many entries there are, and their bytes. */
size_t cache_folder_entries(const struct cache_folder *folder, uint64_t *bytes);

/* True if the cache is on; else says why not on stderr. */
bool cache_folder_is_on(const struct cache_folder *folder, const char *command);

#endif
