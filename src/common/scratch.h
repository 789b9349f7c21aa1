/* SPDX-License-Identifier: Apache-2.0
 * A run's own folders and files, $TMPDIR/clgemm-KIND-PROCESS-XXXXXX, and the leftovers of killed
 * runs. */
#ifndef CLGEMM_SCRATCH_H
#define CLGEMM_SCRATCH_H

#include <limits.h>
#include <stdbool.h>

/* Makes a folder of mode 0700, or an empty file of mode 0600, and writes its path. First removes
 * the leftovers of runs of the same kind: those that belong to this user, have such a name, whose
 * process no longer exists, and that are not locked, for example by a process in another container.
 * Returns a descriptor that holds the lock and that started programs do not inherit. On failure
 * returns -1 with errno, and `path` says what could not be made. */
int scratch_make_folder(const char *kind, char path[PATH_MAX]);
int scratch_make_file(const char *kind, char path[PATH_MAX]);

/* Makes `path` an empty folder of mode 0700, and removes what was there. Returns false with errno
 * on failure. */
bool scratch_renew(const char *path);

/* Removes a file, or a folder with its contents. */
void scratch_remove(const char *path);

#endif
