/* SPDX-License-Identifier: Apache-2.0
 * Private files, in a folder that only this user can write. Files are replaced atomically.
 *
 * Nothing found is trusted blindly. A folder or file of another owner, writable by others, or
 * reached through a link in the last part of its path, counts as absent. */
#ifndef CLG_BASE_FILE_H
#define CLG_BASE_FILE_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the folder at an absolute path. With `create`, makes missing parts of the path with mode
 * 0700. Returns a descriptor, or -1 with *why set to a phrase, which is clg_folder_absent if the
 * folder merely does not exist. */
extern const char clg_folder_absent[];
int clg_folder_open(const char *path, bool create, const char **why);

/* The file's bytes, which the caller frees. NULL if the file is absent, not trusted, longer than
 * `most` or changes while it is read. errno is ENOMEM, EMFILE or ENFILE if one of these prevented
 * reading. */
unsigned char *clg_file_read(int folder, const char *name, size_t most, size_t *size);

/* Writes head and body as one file of mode 0600. It writes a temporary file in the same folder,
 * syncs it and renames it, so readers see the old file, the new one, or none. False on failure,
 * with nothing left behind. A full disk or a file size limit does not end the process. */
bool clg_file_write(int folder, const char *name, const void *head, size_t head_size,
                    const void *body, size_t body_size);

/* Whether anything of that name exists, trusted or not. */
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

/* Lists everything in the folder but folders and names of CLG_FILE_NAME characters or more, trusted
 * or not, least recently used first. The caller frees *out. False if the folder cannot be read or
 * memory is short. */
bool clg_folder_list(int folder, struct clg_file_info **out, size_t *count);

/* Prefix of the temporary files of clg_file_write. The process's number and '-' follow. */
#define CLG_FILE_TEMPORARY ".tmp-"

/* Whether the name is that of a temporary file, which an interrupted clg_file_write may leave. */
bool clg_file_is_temporary(const char *name);

/* ---- Descriptors: files and pipes ---- */

/* Reads until `size` bytes, the end or an error, across signals and short reads. Returns the number
 * of bytes read. */
size_t clg_read_all(int file, void *bytes, size_t size);

/* Writes all bytes, across signals and short writes. False, with errno, on an error. */
bool clg_write_all(int file, const void *bytes, size_t size);

/* Signals that a write raises in the writing thread and that end the process by default: SIGPIPE if
 * a pipe has no reader, SIGXFSZ beyond RLIMIT_FSIZE. Between hold and release they are blocked in
 * this thread, and the write fails with EPIPE or EFBIG instead. */
struct clg_write_signals {
    sigset_t mask; /* the previous mask */
    sigset_t ours; /* those that were not pending before; if one is now, the write raised it */
};

void clg_write_signals_hold(struct clg_write_signals *held);

/* Consumes the signals that writes raised, and restores the mask. Signals that were pending before
 * stay pending. */
void clg_write_signals_release(const struct clg_write_signals *held);

/* The first line of a file, as of those in /proc, cut to `size`. False, and an empty text, if there
 * is none. */
bool clg_file_line(const char *path, char *out, size_t size);

/* ---- Files and folders that the user names, or shares with others ---- */

/* For data that are checked in full when they are read. Any owner, links and relative paths are
 * allowed. */

/* As clg_folder_open. */
int clg_folder_open_named(const char *path, bool create, const char **why);

/* If the path is a link, replaces it by its target, repeatedly, until the target is no link or does
 * not exist. A file renamed to the resulting path replaces no link. False if the links form a
 * circle or lead to a path that is too long. */
bool clg_file_follow(char path[PATH_MAX]);

/* As clg_file_read, of a file in `folder`. NULL with *why set to a phrase, which is clg_file_absent
 * if the file merely does not exist. */
extern const char clg_file_absent[], clg_file_no_memory[];
unsigned char *clg_file_read_named(int folder, const char *name, size_t most, size_t *size,
                                   const char **why);

/* Locks this descriptor of the folder until it is closed. Waits while another one, in any process,
 * is locked. Does nothing on file systems without locks. */
void clg_folder_lock(int folder);

#endif
