/* SPDX-License-Identifier: Apache-2.0
 * The wrapped functions, named and declared as the linker's --wrap requires. */
#define _GNU_SOURCE
#include "libc.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static atomic_long seen, injected, fault_at;
static atomic_bool sticky;
static _Atomic(enum libc_calls) counted;
static _Atomic(const char *) where = "";
static atomic_long held[LIBC_KINDS];

const char *const libc_kind_name[LIBC_KINDS] = {"blocks of memory", "open files", "threads",
                                                "mappings", "libraries"};

/* ---- Steering ----------------------------------------------------------------------------- */

void libc_arm(enum libc_calls calls, long n, int stick) {
    fault_at = 0;
    seen = 0;
    injected = 0;
    where = "";
    counted = calls;
    sticky = stick != 0;
    fault_at = n;
}

void libc_disarm(void) {
    fault_at = 0;
}

long libc_injected(void) {
    return injected;
}

const char *libc_where(void) {
    return where;
}

void libc_counts(long counts[LIBC_KINDS]) {
    for (int kind = 0; kind < LIBC_KINDS; kind++)
        counts[kind] = held[kind];
}

int libc_settle(const long want[LIBC_KINDS], bool exact) {
    int apart = -1;
    for (int tries = 0; tries < 2000; tries++) {
        apart = -1;
        for (int kind = LIBC_KINDS - 1; kind >= 0; kind--)
            if (held[kind] > want[kind] || (exact && held[kind] < want[kind]))
                apart = kind;
        if (apart < 0)
            return -1;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return apart;
}

/* Counts one call. True, with errno set, if it is to fail. */
static bool fails(enum libc_calls calls, const char *name, int error) {
    const long at = fault_at;
    if (at == 0 || calls != counted)
        return false;
    const long number = atomic_fetch_add(&seen, 1) + 1;
    if (sticky ? number < at : number != at)
        return false;
    if (atomic_fetch_add(&injected, 1) == 0)
        where = name;
    errno = error;
    return true;
}

/* WRAP(type, name, (parameters)): declares the function and its wrapper. */
#define WRAP(type, name, parameters) \
    type __real_##name parameters;   \
    type __wrap_##name parameters;   \
    type __wrap_##name parameters

/* ---- Memory ------------------------------------------------------------------------------- */

static void *block(void *made) {
    held[LIBC_BLOCK] += made != NULL;
    return made;
}

WRAP(void *, malloc, (size_t size)) {
    return fails(LIBC_MEMORY, "malloc", ENOMEM) ? NULL : block(__real_malloc(size));
}

WRAP(void *, calloc, (size_t count, size_t size)) {
    return fails(LIBC_MEMORY, "calloc", ENOMEM) ? NULL : block(__real_calloc(count, size));
}

WRAP(void *, realloc, (void *old, size_t size)) {
    if (fails(LIBC_MEMORY, "realloc", ENOMEM))
        return NULL;
    void *made = __real_realloc(old, size);
    held[LIBC_BLOCK] += made && !old;
    return made;
}

WRAP(char *, strdup, (const char *text)) {
    return fails(LIBC_MEMORY, "strdup", ENOMEM) ? NULL : block(__real_strdup(text));
}

WRAP(char *, strndup, (const char *text, size_t most)) {
    return fails(LIBC_MEMORY, "strndup", ENOMEM) ? NULL : block(__real_strndup(text, most));
}

WRAP(void, free, (void *memory)) {
    held[LIBC_BLOCK] -= memory != NULL;
    __real_free(memory);
}

/* The text exists from the start; the caller that opened it frees it. */
WRAP(FILE *, open_memstream, (char **text, size_t *size)) {
    FILE *made =
        fails(LIBC_MEMORY, "open_memstream", ENOMEM) ? NULL : __real_open_memstream(text, size);
    held[LIBC_FILE] += made != NULL;
    held[LIBC_BLOCK] += made != NULL;
    return made;
}

/* ---- Files -------------------------------------------------------------------------------- */

static int file(int opened) {
    held[LIBC_FILE] += opened >= 0;
    return opened;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return fails(LIBC_SYSTEM, "open", EMFILE) ? -1 : file(__real_open(path, flags, mode));
}

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return fails(LIBC_SYSTEM, "openat", EMFILE) ? -1
                                                : file(__real_openat(folder, path, flags, mode));
}

WRAP(int, close, (int descriptor)) {
    held[LIBC_FILE]--;
    return __real_close(descriptor);
}

WRAP(FILE *, fopen, (const char *path, const char *mode)) {
    FILE *made = fails(LIBC_SYSTEM, "fopen", EMFILE) ? NULL : __real_fopen(path, mode);
    held[LIBC_FILE] += made != NULL;
    return made;
}

WRAP(int, fclose, (FILE * stream)) {
    held[LIBC_FILE]--;
    return __real_fclose(stream);
}

/* The test's own. */
WRAP(DIR *, opendir, (const char *path)) {
    DIR *made = __real_opendir(path);
    held[LIBC_FILE] += made != NULL;
    return made;
}

WRAP(DIR *, fdopendir, (int folder)) {
    return fails(LIBC_SYSTEM, "fdopendir", ENOMEM) ? NULL : __real_fdopendir(folder);
}

WRAP(int, closedir, (DIR * stream)) {
    held[LIBC_FILE]--;
    return __real_closedir(stream);
}

WRAP(ssize_t, write, (int descriptor, const void *bytes, size_t size)) {
    return fails(LIBC_SYSTEM, "write", ENOSPC) ? -1 : __real_write(descriptor, bytes, size);
}

WRAP(int, fsync, (int descriptor)) {
    return fails(LIBC_SYSTEM, "fsync", EIO) ? -1 : __real_fsync(descriptor);
}

WRAP(int, renameat, (int from, const char *old, int to, const char *new)) {
    return fails(LIBC_SYSTEM, "renameat", EIO) ? -1 : __real_renameat(from, old, to, new);
}

/* ---- Threads, mappings, libraries --------------------------------------------------------- */

WRAP(int, pthread_create,
     (pthread_t * out, const pthread_attr_t *how, void *(*run)(void *), void *user)) {
    if (fails(LIBC_SYSTEM, "pthread_create", EAGAIN))
        return EAGAIN;
    const int error = __real_pthread_create(out, how, run, user);
    held[LIBC_THREAD] += error == 0;
    return error;
}

WRAP(int, pthread_join, (pthread_t thread, void **result)) {
    held[LIBC_THREAD]--;
    return __real_pthread_join(thread, result);
}

WRAP(void *, mmap, (void *at, size_t size, int may, int flags, int from, off_t offset)) {
    if (fails(LIBC_SYSTEM, "mmap", ENOMEM))
        return MAP_FAILED;
    void *made = __real_mmap(at, size, may, flags, from, offset);
    held[LIBC_MAPPING] += made != MAP_FAILED;
    return made;
}

WRAP(int, munmap, (void *at, size_t size)) {
    held[LIBC_MAPPING]--;
    return __real_munmap(at, size);
}

WRAP(void *, dlopen, (const char *name, int mode)) {
    void *made = fails(LIBC_SYSTEM, "dlopen", ENOMEM) ? NULL : __real_dlopen(name, mode);
    held[LIBC_LIBRARY] += made != NULL;
    return made;
}

WRAP(int, dlclose, (void *library)) {
    held[LIBC_LIBRARY]--;
    return __real_dlclose(library);
}
