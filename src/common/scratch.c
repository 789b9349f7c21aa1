/* SPDX-License-Identifier: Apache-2.0
 * Temporary folders and files, and the removal of leftovers. */
#define _GNU_SOURCE /* mkostemp, mkdtemp, nftw */
#include "src/common/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"

static const char *temporary_folder(void) {
    const char *folder = clg_env("TMPDIR");
    return folder && *folder == '/' ? folder : "/tmp";
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where) {
    (void)status;
    (void)kind;
    (void)where;
    remove(path);
    return 0;
}

void scratch_remove(const char *path) {
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

bool scratch_renew(const char *path) {
    scratch_remove(path);
    return mkdir(path, 0700) == 0;
}

/* ---- Leftovers ---- */

/* Whether the name is clgemm-KIND-PROCESS-XXXXXX, of a process that no longer exists. */
static bool is_of_the_dead(const char *name, const char *kind) {
    char prefix[64], *end;
    const int length = snprintf(prefix, sizeof prefix, "clgemm-%s-", kind);
    if (strncmp(name, prefix, (size_t)length) != 0 || name[length] < '1' || name[length] > '9')
        return false;
    const long process = strtol(name + length, &end, 10);
    return *end == '-' && strlen(end) == sizeof "-XXXXXX" - 1 && process < INT_MAX &&
           kill((pid_t)process, 0) && errno == ESRCH;
}

/* Whether it belongs to this user, and no process has it locked. */
static bool is_ours_alone(const char *path) {
    struct stat status;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool alone = fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
                       (S_ISDIR(status.st_mode) || S_ISREG(status.st_mode)) &&
                       flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return alone;
}

static void sweep(const char *kind) {
    DIR *folder = opendir(temporary_folder());
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[PATH_MAX];
        if (!is_of_the_dead(entry->d_name, kind))
            continue;
        const int length = snprintf(path, sizeof path, "%s/%s", temporary_folder(), entry->d_name);
        if (length < (int)sizeof path && is_ours_alone(path))
            scratch_remove(path);
    }
    if (folder)
        closedir(folder);
}

/* ---- New folders and files ---- */

static bool name_new(const char *kind, char path[PATH_MAX]) {
    const int length = snprintf(path, PATH_MAX, "%s/clgemm-%s-%ld-XXXXXX", temporary_folder(), kind,
                                (long)getpid());
    errno = ENAMETOOLONG;
    return length < PATH_MAX;
}

/* A file that cannot be locked is used all the same: nothing is swept on such a file system. */
static int lock(int fd) {
    if (fd >= 0)
        flock(fd, LOCK_EX | LOCK_NB);
    return fd;
}

int scratch_make_folder(const char *kind, char path[PATH_MAX]) {
    sweep(kind);
    if (!name_new(kind, path) || !mkdtemp(path))
        return -1;
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        rmdir(path);
    return lock(fd);
}

int scratch_make_file(const char *kind, char path[PATH_MAX]) {
    sweep(kind);
    return name_new(kind, path) ? lock(mkostemp(path, O_CLOEXEC)) : -1;
}
