/* SPDX-License-Identifier: Apache-2.0
 * Private files. */
#define _GNU_SOURCE /* O_NOFOLLOW, st_mtim */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"

static bool is_trusted(const struct stat *info) {
    return info->st_uid == geteuid() && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* As mkdir(), with exactly this mode whatever the umask. */
static bool make_folder(const char *path) {
    return mkdir(path, 0700) == 0 ? chmod(path, 0700) == 0 : errno == EEXIST;
}

static bool make_parts(const char *path) {
    char part[PATH_MAX];
    const size_t length = strlen(path);
    if (length >= sizeof part)
        return false;
    memcpy(part, path, length + 1);
    for (char *slash = part + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (!make_folder(part))
            return false;
        *slash = '/';
    }
    return make_folder(part);
}

const char clg_folder_absent[] = "does not exist yet";

static int open_folder(const char *path, bool create, int more, const char **why) {
    if (create && !make_parts(path)) {
        *why = "cannot be created";
        return -1;
    }
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | more);
    if (folder < 0)
        *why = errno == ENOENT ? clg_folder_absent : "cannot be opened";
    return folder;
}

int clg_folder_open(const char *path, bool create, const char **why) {
    if (path[0] != '/') {
        *why = "is not an absolute path";
        return -1;
    }
    /* If the path ended with a slash, O_NOFOLLOW would still follow a link. */
    char plain[PATH_MAX];
    size_t length = strnlen(path, sizeof plain - 1);
    while (length > 1 && path[length - 1] == '/')
        length--;
    memcpy(plain, path, length);
    plain[length] = '\0';
    const int folder = open_folder(plain, create, O_NOFOLLOW, why);
    struct stat info;
    if (folder < 0 || (!fstat(folder, &info) && is_trusted(&info)))
        return folder;
    *why = "belongs to, or can be written by, another user";
    close(folder);
    return -1;
}

int clg_folder_open_named(const char *path, bool create, const char **why) {
    return open_folder(path, create, 0, why);
}

size_t clg_read_all(int file, void *bytes, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(file, (char *)bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

const char clg_file_no_memory[] = "cannot be read: out of memory";

/* The bytes of an open file, which is closed. NULL if it cannot or must not be read. */
static unsigned char *read_and_close(int file, bool trusted_only, size_t most, size_t *size,
                                     const char **why) {
    unsigned char *bytes = NULL;
    struct stat info;
    *why = "is empty, too large, or not a regular file";
    if (!fstat(file, &info) && S_ISREG(info.st_mode) && (!trusted_only || is_trusted(&info)) &&
        info.st_size > 0 && (uint64_t)info.st_size <= most &&
        !(bytes = malloc((size_t)info.st_size)))
        *why = clg_file_no_memory;
    if (bytes && clg_read_all(file, bytes, (size_t)info.st_size) != (size_t)info.st_size) {
        free(bytes);
        bytes = NULL;
    }
    if (bytes)
        *size = (size_t)info.st_size;
    close(file);
    return bytes;
}

/* O_NONBLOCK: opening a FIFO must not block. */
enum { READING = O_RDONLY | O_CLOEXEC | O_NONBLOCK };

unsigned char *clg_file_read(int folder, const char *name, size_t most, size_t *size) {
    const char *why;
    int file = openat(folder, name, READING | O_NOFOLLOW);
    return file < 0 ? NULL : read_and_close(file, true, most, size, &why);
}

bool clg_file_follow(char path[PATH_MAX]) {
    enum { MOST = 40 }; /* the limit of Linux */
    for (int hop = 0; hop < MOST; hop++) {
        char link[PATH_MAX];
        const ssize_t length = readlink(path, link, sizeof link);
        if (length < 0)
            return true;
        const char *slash = strrchr(path, '/');
        const size_t kept = *link != '/' && slash ? (size_t)(slash + 1 - path) : 0;
        if (kept + (size_t)length >= PATH_MAX)
            return false;
        memcpy(path + kept, link, (size_t)length);
        path[kept + (size_t)length] = '\0';
    }
    return false;
}

const char clg_file_absent[] = "does not exist";

unsigned char *clg_file_read_named(int folder, const char *name, size_t most, size_t *size,
                                   const char **why) {
    int file = openat(folder, name, READING);
    if (file < 0) {
        *why = errno == ENOENT ? clg_file_absent : "cannot be opened";
        return NULL;
    }
    return read_and_close(file, false, most, size, why);
}

void clg_folder_lock(int folder) {
    while (flock(folder, LOCK_EX) && errno == EINTR) {
    }
}

bool clg_write_all(int file, const void *bytes, size_t size) {
    const char *from = bytes;
    while (size > 0) {
        ssize_t wrote = write(file, from, size);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        from += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

void clg_write_signals_hold(struct clg_write_signals *held) {
    static const int raised[] = {SIGPIPE, SIGXFSZ};
    sigset_t pending, all;
    sigemptyset(&held->ours);
    sigemptyset(&all);
    sigemptyset(&pending);
    sigpending(&pending);
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++) {
        sigaddset(&all, raised[i]);
        if (sigismember(&pending, raised[i]) != 1)
            sigaddset(&held->ours, raised[i]);
    }
    pthread_sigmask(SIG_BLOCK, &all, &held->mask);
}

void clg_write_signals_release(const struct clg_write_signals *held) {
    static const struct timespec at_once = {0, 0};
    while (sigtimedwait(&held->ours, NULL, &at_once) > 0 || errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
}

bool clg_file_line(const char *path, char *out, size_t size) {
    FILE *file = fopen(path, "re");
    const bool read = file && fgets(out, (int)size, file);
    if (!read)
        *out = '\0';
    if (file)
        fclose(file);
    return read;
}

/* The counter tells two writers of one process apart, the number two processes. O_EXCL avoids files
 * left by an earlier process with the same number. */
static int open_temporary(int folder, char name[CLG_FILE_NAME]) {
    static unsigned counter;
    for (int tries = 0; tries < 16; tries++) {
        snprintf(name, CLG_FILE_NAME, CLG_FILE_TEMPORARY "%ld-%u", (long)getpid(),
                 __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED));
        int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

bool clg_file_write(int folder, const char *name, const void *head, size_t head_size,
                    const void *body, size_t body_size) {
    char temporary[CLG_FILE_NAME];
    int file = open_temporary(folder, temporary);
    if (file < 0)
        return false;
    struct clg_write_signals held;
    clg_write_signals_hold(&held);
    bool whole = fchmod(file, 0600) == 0 && /* whatever the umask */
                 clg_write_all(file, head, head_size) && clg_write_all(file, body, body_size) &&
                 fsync(file) == 0;
    clg_write_signals_release(&held);
    whole &= close(file) == 0;
    if (whole && renameat(folder, temporary, folder, name) == 0)
        return true;
    unlinkat(folder, temporary, 0);
    return false;
}

bool clg_file_exists(int folder, const char *name) {
    struct stat info;
    return fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

void clg_file_remove(int folder, const char *name) {
    unlinkat(folder, name, 0);
}

void clg_file_touch(int folder, const char *name) {
    utimensat(folder, name, NULL, AT_SYMLINK_NOFOLLOW);
}

bool clg_file_is_temporary(const char *name) {
    return strncmp(name, CLG_FILE_TEMPORARY, sizeof CLG_FILE_TEMPORARY - 1) == 0;
}

/* Times after the year 2262 are clamped. */
static int64_t nanoseconds(struct timespec time) {
    int64_t value;
    return __builtin_mul_overflow((int64_t)time.tv_sec, 1000000000, &value) ||
                   __builtin_add_overflow(value, (int64_t)time.tv_nsec, &value)
               ? (time.tv_sec < 0 ? INT64_MIN : INT64_MAX)
               : value;
}

static int by_use(const void *left, const void *right) {
    const struct clg_file_info *a = left, *b = right;
    return (a->used_ns > b->used_ns) - (a->used_ns < b->used_ns);
}

/* A stream over the folder with a position of its own; others may share that of `folder`. */
static DIR *open_stream(int folder) {
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
    if (!stream && copy >= 0)
        close(copy);
    return stream;
}

bool clg_folder_list(int folder, struct clg_file_info **out, size_t *count) {
    *out = NULL;
    *count = 0;
    DIR *stream = open_stream(folder);
    if (!stream)
        return false;
    size_t room = 0;
    bool good = true;
    for (const struct dirent *item; good && (item = readdir(stream));) {
        struct stat info;
        const size_t length = strlen(item->d_name);
        if (length >= CLG_FILE_NAME || fstatat(folder, item->d_name, &info, AT_SYMLINK_NOFOLLOW) ||
            S_ISDIR(info.st_mode))
            continue;
        good = clg_array_reserve(out, &room, *count + 1, sizeof **out);
        if (good) {
            struct clg_file_info *file = &(*out)[(*count)++];
            memcpy(file->name, item->d_name, length + 1);
            file->bytes = (uint64_t)info.st_size;
            file->used_ns = nanoseconds(info.st_mtim);
        }
    }
    closedir(stream);
    if (*count > 0)
        qsort(*out, *count, sizeof **out, by_use);
    return good;
}
