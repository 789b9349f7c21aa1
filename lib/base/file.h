/* SPDX-License-Identifier: Apache-2.0
 * Private files: a folder that only this user can write, files that are whole or not there.
 *
 * Nothing here trusts what it finds: a folder or file of another owner, writable by others, or
 * reached through a link in its last part, counts as absent. */
#ifndef CLG_BASE_FILE_H
#define CLG_BASE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the folder, which must be an absolute path; with `create`, makes the missing parts of it
 * with mode 0700. Returns a descriptor, or -1 with *why set to a phrase: clg_folder_absent where
 * all that is amiss is that it is not there. */
extern const char clg_folder_absent[];
int clg_folder_open(const char *path, bool create, const char **why);

/* The file's bytes, owned by the caller (free), or NULL if it is absent, not trusted, longer than
 * `most`, or changes while it is read; errno is ENOMEM, EMFILE or ENFILE where it could not be
 * looked at for lack of these. */
unsigned char *clg_file_read(int folder, const char *name, size_t most, size_t *size);

/* Writes head and body as one file of mode 0600: to a temporary file in the same folder, synced,
 * then renamed, so that readers see the old file, the new one, or none. False where that fails,
 * with nothing left behind; a full disk or a file size limit does not end the process. */
bool clg_file_write(int folder, const char *name, const void *head, size_t head_size,
                    const void *body, size_t body_size);

/* Whether anything of that name is there, trusted or not. */
bool clg_file_exists(int folder, const char *name);

void clg_file_remove(int folder, const char *name);

/* Marks the file as used now. */
void clg_file_touch(int folder, const char *name);

enum { CLG_FILE_NAME = 64 };

struct clg_file_info {
    char name[CLG_FILE_NAME];
    uint64_t bytes;
    int64_t used_ns; /* when it was last written or touched */
};

/* All in the folder that is no folder itself, trusted or not, and has a shorter name than
 * CLG_FILE_NAME, least recently used first; free *out. False where the folder cannot be read or
 * memory is short. */
bool clg_folder_list(int folder, struct clg_file_info **out, size_t *count);

/* What the names of clg_file_write's temporary files begin with; its process's number follows, and
 * '-'. */
#define CLG_FILE_TEMPORARY ".tmp-"

/* Whether the name is that of a clg_file_write that was cut short. */
bool clg_file_is_temporary(const char *name);

/* ---- Descriptors: files and pipes ---- */

/* Reads on through signals and short reads, to `size` bytes, the end or an error; returns how many
 * bytes there were. */
size_t clg_read_all(int file, void *bytes, size_t size);

/* Writes on through signals and short writes; false on an error, with errno. */
bool clg_write_all(int file, const void *bytes, size_t size);

/* ---- What the user has named, or shares with others ---- */

/* For data that are checked in full when they are read: of any owner, through links, and by
 * relative paths too. */

/* As clg_folder_open. */
int clg_folder_open_named(const char *path, bool create, const char **why);

/* Follows the links that the path's last part may be, one behind the other, to what is none or is
 * not there, so that a file renamed to that path replaces no link. False where they lead in a
 * circle or to a path that is too long. */
bool clg_file_follow(char path[PATH_MAX]);

/* As clg_file_read, of a file in `folder`; NULL with *why set to a phrase: clg_file_absent where
 * all that is amiss is that it is not there. */
extern const char clg_file_absent[], clg_file_no_memory[];
unsigned char *clg_file_read_named(int folder, const char *name, size_t most, size_t *size,
                                   const char **why);

/* Waits until no other descriptor of this folder, in any process, is locked, and locks this one
 * until it is closed. Does nothing on file systems that know no locks. */
void clg_folder_lock(int folder);

#endif
