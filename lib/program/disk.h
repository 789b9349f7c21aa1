/* SPDX-License-Identifier: Apache-2.0
 * The program cache on disk, from which a later process starts without compiling.
 *
 * The contract:
 *
 * - Place. A folder per format version ("v1") in $CLGEMM_CACHE_DIR, else $XDG_CACHE_HOME/clgemm,
 *   else $HOME/.cache/clgemm. It is created with mode 0700 at the first write. The cache uses no
 *   other place. It is off if CLGEMM_CACHE is 0, if none of these variables is set, if the process
 *   is set-uid, if the path is not absolute, or if the folder belongs to, or can be written by,
 *   another user.
 * - Entries. One file of mode 0600 per program, named by the hash of its key. It contains the whole
 *   key and is used only if that matches. A change of device, driver, platform, library, kernel
 *   source or options is therefore a miss, never a mix-up (program/key.h, program/entry.h).
 * - Trust. Drivers crash on damaged binaries. So the driver gets no byte of a file before its
 *   owner, mode, size, layout and checksum have been verified. A file that fails is removed, and so
 *   is one whose binary the driver refuses. The program is then built from source.
 * - Writers write a temporary file in the same folder, sync it and rename it. Readers see a whole
 *   entry or none. Any number of processes may read and write at once without a lock.
 * - Size. After each write, the least recently used entries are removed until the rest takes no
 *   more than $CLGEMM_CACHE_MAX_SIZE (256M). Temporary files of dead writers are removed too.
 * - Failure. No error here fails a call: it costs a compilation.
 *
 * No state is kept between calls. The environment and the folder are checked each time. */
#ifndef CLG_PROGRAM_DISK_H
#define CLG_PROGRAM_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "program/entry.h"

/* The program of that key, which the caller frees, or NULL. */
unsigned char *clg_disk_find(const char *key, size_t *size);

/* Writes the entry, replacing an existing one. Returns whether it is on disk now. */
bool clg_disk_keep(const char *key, const unsigned char *program, size_t size);

/* Removes the entry, which a driver refused. */
void clg_disk_drop(const char *key);

/* Whether the cache is on: its folder exists or could be created. */
bool clg_disk_is_on(void);

/* For tools that manage the cache. The folder's path; "" if there is none. */
void clg_disk_path(char *out, size_t size);

/* A descriptor of the folder, or -1 with *why set to a phrase if the cache is off or, without
 * `create`, does not exist yet. */
int clg_disk_open(bool create, const char **why);

/* Whether a file is an entry, judged by its name alone. */
bool clg_disk_is_entry(const char *name);

/* Reads a file. Returns NULL on success; then *out points into *bytes, which the caller frees.
 * Otherwise returns the reason why the file is bad. */
const char *clg_disk_read(int folder, const char *name, struct clg_entry *out,
                          unsigned char **bytes);

/* The limit of all entries together, in bytes. */
uint64_t clg_disk_max_size(void);

#endif
