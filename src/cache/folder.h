/* SPDX-License-Identifier: Apache-2.0
 * The program cache's folder, for `clgemm cache` and `clgemm info`. program/disk.h has its
 * contract. */
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
    const char *off;             /* why the cache is off; NULL if it is on */
    bool unusable;               /* it is off because the folder cannot be made or opened */
    int descriptor;              /* -1 if the cache is off or the folder does not exist yet */
    struct clg_file_info *files; /* entries and temporary files, last used first */
    size_t count;
};

/* Opens the folder and lists its entries and temporary files by name, last used first, including
 * bad and untrusted ones. Skips folders and files that are not the cache's. A cache that is off, or
 * a folder that does not exist yet, has no files. With `create`, makes the folder. Returns false if
 * the folder cannot be read or memory is short. Close it in any case. */
bool cache_folder_open(struct cache_folder *out, bool create);
void cache_folder_close(struct cache_folder *folder);

/* Returns why an entry is bad, or NULL if it is good or no longer exists. If it is good and `key`
 * is not NULL, *key receives its key, owned by the caller (free), and *finding and *spills receive
 * what the entry says about checked programs; CLG_FINDING_NONE if the entry is a program. */
const char *cache_folder_read(const struct cache_folder *folder, const char *name, char **key,
                              enum clg_finding *finding, uint64_t *spills);

/* How many entries say that programs give wrong results on that device, and *spilling: that they
 * spill there. */
size_t cache_folder_wrong(const struct cache_folder *folder, const char *device, size_t *spilling);

/* The number of entries, and their bytes. */
size_t cache_folder_entries(const struct cache_folder *folder, uint64_t *bytes);

/* Returns true if the cache is on; else prints the reason to stderr. */
bool cache_folder_is_on(const struct cache_folder *folder, const char *command);

#endif
