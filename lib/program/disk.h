/* SPDX-License-Identifier: Apache-2.0
 * The program cache on disk, which lets a second process start without compiling.
 *
 * The contract:
 *
 * - Place. A folder per format version ("v1") in $CLGEMM_CACHE_DIR, else $XDG_CACHE_HOME/clgemm,
 *   else $HOME/.cache/clgemm; made with mode 0700 at the first write. Nowhere else, ever. The cache
 *   is off where CLGEMM_CACHE is 0, there is no such variable, the process is set-uid, the path is
 *   not absolute, or the folder belongs to, or can be written by, someone else.
 * - Entries. One file a program, of mode 0600, named by the hash of its key. It holds the key in
 *   full and is used only if all of it agrees, so that a change of device, driver, platform,
 *   library, kernel source or options is a miss, never a mix-up (program/key.h, program/entry.h).
 * - Trust. The driver sees no byte of a file before its owner, mode, size, layout and checksum
 *   have been found good; drivers crash on damaged binaries. A file that fails is removed, and the
 *   program is built from source. So is one whose binary the driver refuses.
 * - Writers write a temporary file in the same folder, sync it and rename it: readers see an entry
 *   whole or not at all, and any number of processes may read and write at once without a lock.
 * - Size. After each write the least recently used entries go until all take no more than
 *   $CLGEMM_CACHE_MAX_SIZE (256M), and temporary files that a dead writer left go with them.
 * - Failure. Nothing that goes wrong here fails a call: it costs a compilation.
 *
 * No state is kept between calls: the environment and the folder are looked at each time. */
#ifndef CLG_PROGRAM_DISK_H
#define CLG_PROGRAM_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "program/entry.h"

/* The program of that key, owned by the caller (free), or NULL. */
unsigned char *clg_disk_find(const char *key, size_t *size);

/* Writes the entry, over one that is there. Whether it is on disk now. */
bool clg_disk_keep(const char *key, const unsigned char *program, size_t size);

/* Removes the entry: a driver refused it. */
void clg_disk_drop(const char *key);

/* Whether what is kept now would be written: the folder is there, or was made. */
bool clg_disk_is_on(void);

/* For those who look after the cache. The folder's path: "" if there is none. */
void clg_disk_path(char *out, size_t size);

/* A descriptor of the folder, or -1 with *why set to a phrase: the cache is off or, without
 * `create`, not there yet. */
int clg_disk_open(bool create, const char **why);

/* Whether a file of that name is an entry, by its name alone. */
bool clg_disk_is_entry(const char *name);

/* Reads a file. NULL, or the reason why it is bad. On success *out points into *bytes, which the
 * caller frees. */
const char *clg_disk_read(int folder, const char *name, struct clg_entry *out,
                          unsigned char **bytes);

/* The most bytes that the entries may take. */
uint64_t clg_disk_max_size(void);

#endif
