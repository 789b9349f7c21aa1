/* SPDX-License-Identifier: Apache-2.0
 * Folders and files of a run's own, $TMPDIR/clgemm-KIND-PROCESS-XXXXXX, and what killed runs have
 * left of them. */
#ifndef CLGEMM_SCRATCH_H
#define CLGEMM_SCRATCH_H

#include <limits.h>
#include <stdbool.h>

/* Makes a folder, or an empty file, of mode 0700 or 0600, and writes its path. What runs of the
 * same kind have left is removed first: what is this user's, has a name as above, is of a process
 * that is not there any more, and is not locked (by one in another container, say). Returns a
 * descriptor that holds its lock, not for programs that are started; -1 with errno, and `path` what
 * could not be made. */
int scratch_make_folder(const char *kind, char path[PATH_MAX]);
int scratch_make_file(const char *kind, char path[PATH_MAX]);

/* Makes `path` an empty folder of mode 0700, whatever was there; false with errno. */
bool scratch_renew(const char *path);

/* Removes a file, or a folder with all that is in it. */
void scratch_remove(const char *path);

#endif
